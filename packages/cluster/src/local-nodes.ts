import { ClusterError } from './errors.ts';
import type { NodeConnector, NodeReply, NodeRequest, NodeUpgrade, NodeUpgraded } from '@binnacle/apiserver';
import type { Clock } from '@binnacle/base';
import { answerRequest } from '@binnacle/kubelet';
import type { Kubelet } from '@binnacle/kubelet';

/** Asks a kubelet of this process for another protocol; its refusal is in the stream. */
export type OpenLocal = (kubelet: Kubelet, request: NodeUpgrade) => Promise<NodeUpgraded & { readonly status: number }>;

/** The kubelets of this process, which an API server in it asks without a socket; all others by the connector given. */
export class LocalNodes implements NodeConnector {
  readonly #kubelets = new Map<string, Kubelet>();
  readonly #clock: Clock;
  readonly #others: NodeConnector;
  readonly #openLocal: OpenLocal | undefined;

  /** `openLocal`: a stream of a kubelet of this process; absent: there are none. */
  constructor(clock: Clock, others: NodeConnector, openLocal?: OpenLocal) {
    this.#openLocal = openLocal;
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

  async open(request: NodeUpgrade): Promise<NodeReply | NodeUpgraded> {
    const kubelet = this.#kubelets.get(request.nodeName);
    if (kubelet === undefined) return this.#others.open(request);
    if (this.#openLocal === undefined) throw new ClusterError('no-streams', 'this cluster carries no streams');
    const answer = await this.#openLocal(kubelet, request);
    return answer.status === 101 ? answer : { status: answer.status, body: piecesOf(answer.stream) };
  }
}

async function* piecesOf(stream: NodeUpgraded['stream']): AsyncGenerator<Uint8Array> {
  for (let chunk = await stream.read(); chunk !== undefined; chunk = await stream.read()) yield chunk;
}

async function* onePiece(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** For a cluster that is all in one process: no kubelet beside its own can be asked. */
export const NO_OTHER_NODES: NodeConnector = {
  get: ({ nodeName }) => Promise.reject(noSuchNode(nodeName)),
  open: ({ nodeName }) => Promise.reject(noSuchNode(nodeName)),
};

function noSuchNode(nodeName: string): ClusterError {
  return new ClusterError('no-such-node', `no kubelet of node ${nodeName} is here`);
}
