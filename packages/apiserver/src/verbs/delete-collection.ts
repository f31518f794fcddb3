import { groupVersion, status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Call, Handler } from '../catalogue/definition.ts';
import type { Removal, Remover } from './delete.ts';
import type { Lister } from './list.ts';

/** So many deletions are under way at once. */
const PARALLEL = 16;

/** DELETE on a collection: each object as if deleted by itself; what is gone already is skipped. */
export function createRemoveCollection(remover: Remover, lister: Lister): Handler<Call> {
  return async (call) => {
    const options = await remover.readOptions(call);
    const dryRun = call.dryRun || (options.dryRun?.length ?? 0) > 0;
    const { items, resourceVersion } = await lister.list(call);
    const one = { ...call, dryRun };
    for (let i = 0; i < items.length; i += PARALLEL) {
      await Promise.all(items.slice(i, i + PARALLEL).map((entry) => removeOne(remover, one, { options, entry })));
    }
    const { info } = call.served;
    const removed = items.map((entry): KubeObject => call.served.view(entry));
    const object = {
      kind: info.listKind,
      apiVersion: groupVersion(info),
      metadata: { resourceVersion },
      items: removed,
    };
    return { kind: 'object', code: 200, object, items: removed, columns: call.served.columns };
  };
}

async function removeOne(remover: Remover, call: Call, removal: Removal): Promise<void> {
  try {
    await remover.removeEntry(call, removal);
  } catch (error) {
    if (!status.isNotFound(error)) throw error;
  }
}
