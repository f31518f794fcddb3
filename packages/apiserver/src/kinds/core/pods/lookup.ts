import { NODES } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import { status } from '@binnacle/machinery';
import type { Call, Handler } from '../../../catalogue/definition.ts';
import type { NodeConnector } from '../../../ports/nodes.ts';
import type { CacheReader } from '../../../ports/reader.ts';

/** The pod that a call names, as a read shows it now. Throws 404. */
export async function readPod(get: Handler<Call>, call: Call): Promise<Pod> {
  const reply = await get(call);
  if (reply.kind !== 'entry') throw status.notFound(call.served.info, call.info.name);
  return call.served.view(reply.entry) as Pod;
}

/** Throws 404. */
export function readNode(cache: CacheReader, name: string): Node {
  const node = cache.get(NODES, '', name);
  if (node === undefined) throw status.notFound(NODES, name);
  return node as Node;
}

/** Throws 503 where no kubelet can be asked. */
export function connectorOf(nodes: NodeConnector | undefined): NodeConnector {
  if (nodes === undefined) throw status.serviceUnavailable('this API server has no way to its nodes');
  return nodes;
}
