import type { Scope } from '@binnacle/base';
import type { Store } from '@binnacle/store';

/** Writes down every commit from now on: revision, kind of change, key and value. */
export function recordWrites(store: Store, scope: Scope): readonly string[] {
  const lines: string[] = [];
  const text = new TextDecoder();
  const handle = store.watch(
    { key: '/', end: '0' },
    {
      created: () => undefined,
      events(events) {
        for (const { type, kv } of events) lines.push(`${kv.modRevision} ${type} ${kv.key} ${text.decode(kv.value)}`);
      },
      progress: () => undefined,
      end: () => undefined,
    },
  );
  scope.defer(() => handle.cancel());
  return lines;
}
