import { messageOf } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { Store } from '@binnacle/store';
import type { AnyCall, Reply } from '../../../catalogue/definition.ts';
import { methodNotAllowed } from '../../../verbs/refusals.ts';

const STORE = 'etcd-0';

/** The deprecated `componentstatuses`: tells of the store, the only component that the server itself can ask. */
export async function componentStatuses(store: Pick<Store, 'status'>, call: AnyCall): Promise<Reply> {
  const { info } = call;
  if (info.verb !== 'get' && info.verb !== 'list') throw methodNotAllowed();
  call.warn('v1 ComponentStatus is deprecated in v1.19+');
  if (info.name !== '' && info.name !== STORE) throw status.notFound(call.served.info, info.name);
  const one = {
    metadata: { name: STORE },
    conditions: [{ type: 'Healthy', ...(await storeHealth(store)) }],
  };
  if (info.verb === 'get') {
    return { kind: 'object', code: 200, object: { kind: 'ComponentStatus', apiVersion: 'v1', ...one } };
  }
  const list = { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items: [one] };
  return { kind: 'object', code: 200, object: list, items: [one] };
}

async function storeHealth(
  store: Pick<Store, 'status'>,
): Promise<{ status: string; message?: string; error?: string }> {
  try {
    await store.status();
    return { status: 'True', message: 'ok' };
  } catch (error) {
    return { status: 'False', error: messageOf(error) };
  }
}
