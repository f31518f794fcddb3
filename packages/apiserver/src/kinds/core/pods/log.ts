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
import { connectorOf, readNode, readPod } from './lookup.ts';

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

async function ask(nodes: NodeConnector | undefined, request: NodeRequest): Promise<NodeReply> {
  const connector = connectorOf(nodes);
  try {
    return await connector.get(request);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw status.internalFailure(messageOf(error));
  }
}
