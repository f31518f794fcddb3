import type { Node, Pod } from '@binnacle/api/core/v1';
import { NODES } from '@binnacle/api';
import { messageOf } from '@binnacle/base';
import { status, StatusError } from '@binnacle/machinery';
import type { Call, Handler } from '../../../catalogue/definition.ts';
import type { NodeConnector, NodeReply, NodeRequest } from '../../../ports/nodes.ts';
import type { CacheReader } from '../../../ports/reader.ts';
import { untilCancelled } from '../../../request/until-cancelled.ts';
import { chooseContainer } from './choose-container.ts';
import { kubeletAddress } from './kubelet-address.ts';
import { kubeletFailure } from './kubelet-failure.ts';
import { readLogOptions } from './log-options.ts';

const TEXT = 'text/plain';

export interface PodLogWorld {
  readonly get: Handler<Call>;
  readonly cache: CacheReader;
  /** Absent: no kubelet can be asked. */
  readonly nodes: NodeConnector | undefined;
}

/** GET of `pods/log`: the kubelet's words, passed on as they come. 204 for a pod that has no node yet. */
export function createPodLog(world: PodLogWorld): Handler<Call> {
  return async (call) => {
    const { info, query, request } = call;
    const options = readLogOptions(query, info.name);
    const pod = await readPod(world.get, call);
    const container = chooseContainer(pod, options.container);
    const { nodeName = '' } = pod.spec;
    if (nodeName === '') return { kind: 'text', code: 204, contentType: TEXT, body: '' };
    const address = kubeletAddress(readNode(world.cache, nodeName));
    const path = ['containerLogs', info.namespace, info.name, container].map(encodeURIComponent).join('/');
    const until = untilCancelled(request);
    try {
      const reply = await ask(world.nodes, {
        nodeName,
        ...address,
        path: `/${path}${options.forKubelet === '' ? '' : '?'}${options.forKubelet}`,
        insecure: options.insecure,
        signal: until.signal,
      });
      if (reply.status < 200 || reply.status > 206)
        throw await kubeletFailure(reply, { resource: 'pods/log', name: info.name });
      const { body } = reply;
      return { kind: 'stream', code: 200, contentType: TEXT, inMessages: true, body, cancel: () => until.cancel() };
    } catch (error) {
      until.cancel();
      throw error;
    }
  };
}

async function readPod(get: Handler<Call>, call: Call): Promise<Pod> {
  const reply = await get(call);
  if (reply.kind !== 'entry') throw status.notFound(call.served.info, call.info.name);
  return call.served.view(reply.entry) as Pod;
}

function readNode(cache: CacheReader, name: string): Node {
  const node = cache.get(NODES, '', name);
  if (node === undefined) throw status.notFound(NODES, name);
  return node as Node;
}

async function ask(nodes: NodeConnector | undefined, request: NodeRequest): Promise<NodeReply> {
  if (nodes === undefined) throw status.serviceUnavailable('this API server has no way to its nodes');
  try {
    return await nodes.get(request);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw status.internalFailure(messageOf(error));
  }
}
