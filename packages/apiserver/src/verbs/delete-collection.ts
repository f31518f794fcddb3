import { groupVersion, status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Entry } from '../cache/entry.ts';
import type { Core } from '../core.ts';
import type { Call } from '../catalogue/call.ts';
import { readDeleteOptions } from './delete-options.ts';
import { removeEntry } from './delete.ts';
import { list } from './list.ts';
import type { Reply } from '../catalogue/reply.ts';

/** So many deletions are under way at once. */
const PARALLEL = 16;

/** DELETE on a collection: each object as if deleted by itself; what is gone already is skipped. */
export async function removeCollection(core: Core, call: Call): Promise<Reply> {
  const options = await readDeleteOptions(call);
  const dryRun = call.dryRun || (options.dryRun?.length ?? 0) > 0;
  const { items, resourceVersion } = await list(core, call);
  const one = { ...call, dryRun };
  for (let i = 0; i < items.length; i += PARALLEL) {
    await Promise.all(items.slice(i, i + PARALLEL).map((entry) => removeOne(core, one, { options, entry })));
  }
  const { info } = call.served;
  const object = {
    kind: info.listKind,
    apiVersion: groupVersion(info),
    metadata: { resourceVersion },
    items: items.map((entry): KubeObject => call.served.view(entry)),
  };
  return { kind: 'object', code: 200, object };
}

async function removeOne(
  core: Core,
  call: Call,
  removal: { readonly options: Awaited<ReturnType<typeof readDeleteOptions>>; readonly entry: Entry },
): Promise<void> {
  try {
    await removeEntry(core, call, removal);
  } catch (error) {
    if (!status.isNotFound(error)) throw error;
  }
}
