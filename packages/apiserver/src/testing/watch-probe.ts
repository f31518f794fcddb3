import type { StatusError } from '@binnacle/machinery';
import { bookmarkObject } from '../encode/watch-frame.ts';
import type { Reply } from '../catalogue/definition.ts';
import type { OpenWatch, WatchItem } from '../cache/watch-source.ts';

/** An open watch under test: what it was given, as short texts. */
export interface WatchProbe {
  /** `ADDED a 101`, `BOOKMARK 105`, `BOOKMARK 105 end`. */
  readonly seen: string[];
  readonly items: WatchItem[];
  error: StatusError | undefined;
  over: boolean;
  /** Whether it takes more; setting it does not resume. */
  ready: boolean;
  /** Told of each piece that is handed over. */
  onBatch?: (batch: readonly WatchItem[]) => void;
  readonly open: OpenWatch;
}

/** Opens the watch of a reply and writes down what comes. */
export function probe(reply: Reply): WatchProbe {
  if (reply.kind !== 'watch') throw new TypeError(`no watch but ${JSON.stringify(reply)}`);
  const { served, source } = reply;
  const state = { seen: [] as string[], items: [] as WatchItem[], error: undefined as StatusError | undefined };
  const out: Omit<WatchProbe, 'open'> = { ...state, over: false, ready: true };
  const open = source.open({
    get ready() {
      return out.ready;
    },
    immediate: true,
    items(batch) {
      out.onBatch?.(batch);
      for (const item of batch) {
        out.items.push(item);
        if (item.type !== 'BOOKMARK') out.seen.push(`${item.type} ${item.entry.name} ${item.revision}`);
        else {
          const { metadata } = bookmarkObject(served, item);
          out.seen.push(`BOOKMARK ${metadata.resourceVersion}${metadata.annotations === undefined ? '' : ' end'}`);
        }
      }
    },
    end(error) {
      out.error = error;
      out.over = true;
    },
  });
  return Object.assign(out, { open });
}

/** Lets the microtasks that hand out events run. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}
