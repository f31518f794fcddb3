import { ClusterError } from './errors.ts';
import type { NodeConnector, NodeReply, NodeRequest } from '@binnacle/apiserver';
import type { Clock } from '@binnacle/base';
import { answerRequest } from '@binnacle/kubelet';
import type { Kubelet } from '@binnacle/kubelet';

/** The kubelets of this process, which an API server in it asks without a socket; all others by the connector given. */
export class LocalNodes implements NodeConnector {
  readonly #kubelets = new Map<string, Kubelet>();
  readonly #clock: Clock;
  readonly #others: NodeConnector;

  constructor(clock: Clock, others: NodeConnector) {
    this.#clock = clock;
    this.#others = others;
  }

  /** From now on the node is asked here. Thousands of simulated nodes need no port of their own. */
  add(kubelet: Kubelet): void {
    this.#kubelets.set(kubelet.nodeName, kubelet);
  }

  async get(request: NodeRequest): Promise<NodeReply> {
    const kubelet = this.#kubelets.get(request.nodeName);
    if (kubelet === undefined) return this.#others.get(request);
    const url = new URL(request.path, 'https://kubelet');
    const { status, body } = await answerRequest(
      kubelet,
      {
        method: 'GET',
        path: decodeURIComponent(url.pathname),
        query: new Map(url.searchParams),
        signal: request.signal,
      },
      this.#clock.now(),
    );
    return { status, body: typeof body === 'string' ? onePiece(body) : body };
  }
}

async function* onePiece(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** For a cluster that is all in one process: no kubelet beside its own can be asked. */
export const NO_OTHER_NODES: NodeConnector = {
  get: ({ nodeName }) => Promise.reject(new ClusterError('no-such-node', `no kubelet of node ${nodeName} is here`)),
};
