import { ClusterError } from './errors.ts';
import type {
  NodeConnector,
  NodeForward,
  NodeReply,
  NodeRequest,
  NodeUpgrade,
  NodeUpgraded,
  PodPort,
} from '@binnacle/apiserver';
import { messageOf } from '@binnacle/base';
import type { Clock, Duplex, HttpReply } from '@binnacle/base';
import { answerRequest, smallText } from '@binnacle/kubelet';
import type { Kubelet } from '@binnacle/kubelet';

/** Asks a kubelet of this process for another protocol; its refusal is in the stream. */
export type OpenLocal = (kubelet: Kubelet, request: NodeUpgrade) => Promise<NodeUpgraded & { readonly status: number }>;

/** The kubelets of this process, which an API server in it asks without a socket; all others by the connector given. */
export class LocalNodes implements NodeConnector {
  readonly #kubelets = new Map<string, Kubelet>();
  /** Nodes whose pods have addresses that lead nowhere. */
  readonly #simulated = new Set<string>();
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
  add(kubelet: Kubelet, { simulated = false }: { readonly simulated?: boolean } = {}): void {
    this.#kubelets.set(kubelet.nodeName, kubelet);
    if (simulated) this.#simulated.add(kubelet.nodeName);
  }

  async get(request: NodeRequest): Promise<NodeReply> {
    const kubelet = this.#kubelets.get(request.nodeName);
    if (kubelet === undefined) return this.#others.get(request);
    return this.#answer(kubelet, { ...request, method: 'GET' });
  }

  async forward(request: NodeForward): Promise<HttpReply> {
    const kubelet = this.#kubelets.get(request.nodeName);
    return kubelet === undefined ? this.#others.forward(request) : this.#answer(kubelet, request);
  }

  async #answer(
    kubelet: Kubelet,
    request: NodeRequest & Pick<NodeForward, 'method' | 'body'> & Partial<Pick<NodeForward, 'headers'>>,
  ): Promise<HttpReply> {
    const { body: sent, headers: { accept = '' } = {} } = request;
    const url = new URL(request.path, 'https://kubelet');
    const { status, body, contentType, warning } = await answerRequest(
      kubelet,
      {
        method: request.method,
        path: decodePath(url.pathname),
        query: new Map(url.searchParams),
        accept: String(accept),
        ...(sent === undefined ? {} : { text: () => smallText(sent) }),
        signal: request.signal,
      },
      this.#clock.now(),
    );
    const headers = { 'content-type': contentType, ...(warning === undefined ? {} : { warning }) };
    return { status, headers, body: typeof body === 'string' ? onePiece(body) : body };
  }

  connectPod(of: PodPort): (() => Promise<Duplex>) | undefined {
    const kubelet = this.#kubelets.get(of.nodeName);
    if (kubelet === undefined || !this.#simulated.has(of.nodeName)) return this.#others.connectPod(of);
    return () => connectSimulated(kubelet, of);
  }

  async open(request: NodeUpgrade): Promise<NodeReply | NodeUpgraded> {
    const kubelet = this.#kubelets.get(request.nodeName);
    if (kubelet === undefined) return this.#others.open(request);
    if (this.#openLocal === undefined) throw new ClusterError('no-streams', 'this cluster carries no streams');
    const answer = await this.#openLocal(kubelet, request);
    return answer.status === 101 ? answer : { status: answer.status, body: piecesOf(answer.stream) };
  }
}

/** What a pod's script answers on the port; who finds nothing there is told why. */
async function connectSimulated(kubelet: Kubelet, { namespace, name, address, port }: PodPort): Promise<Duplex> {
  try {
    return await kubelet.streams.portForward(kubelet.streams.sandbox({ namespace, pod: name, uid: '' }), port);
  } catch (error) {
    const why = `dial tcp ${address}:${port}: connect: connection refused`;
    const script = 'the annotations simulated.binnacle.dev/http-port and http-body make it answer';
    const told = `${why}: nothing runs in pod "${name}" of the simulated node "${kubelet.nodeName}"; ${script}`;
    throw new ClusterError('simulated-pod', `${told} (${messageOf(error)})`);
  }
}

/** A broken escape stays as it is. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
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
  forward: ({ nodeName }) => Promise.reject(noSuchNode(nodeName)),
  connectPod: () => undefined,
};

function noSuchNode(nodeName: string): ClusterError {
  return new ClusterError('no-such-node', `no kubelet of node ${nodeName} is here`);
}
