import type { HttpCall, HttpCaller } from '@binnacle/base';
import type { NodeConnector, NodeRequest } from '../../../ports/nodes.ts';

/** A node's kubelet as somebody who is called: requests go by the connector, which knows how kubelets know this server. */
export function kubeletAsCaller(
  nodes: NodeConnector,
  at: Pick<NodeRequest, 'nodeName' | 'host' | 'port'>,
): Pick<HttpCaller, 'request' | 'upgrade'> {
  return {
    request: (call) => nodes.forward({ ...requestOf(call, at), ...contentOf(call) }),
    async upgrade(call) {
      const headers = Object.fromEntries(
        Object.entries(call.headers ?? {}).map(([name, value]) => [name, [value].flat().join(', ')]),
      );
      const reply = await nodes.open({ ...requestOf(call, at), method: call.method, headers });
      return 'stream' in reply ? { status: 101, ...reply } : { headers: {}, ...reply };
    },
  };
}

function requestOf({ url, signal }: HttpCall, at: Pick<NodeRequest, 'nodeName' | 'host' | 'port'>): NodeRequest {
  const { pathname, search } = new URL(url);
  return { ...at, path: `${pathname}${search}`, insecure: false, signal: signal ?? new AbortController().signal };
}

function contentOf({ method, headers = {}, body }: HttpCall) {
  const pieces = body instanceof Uint8Array ? onePiece(body) : body;
  return { method, headers, ...(pieces === undefined ? {} : { body: pieces }) };
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
