import { messageOf, TurnBudget } from '@binnacle/base';
import type { Clock, Duplex } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import {
  commandOverWebSocket,
  commandProtocol,
  FORWARD_PROTOCOL,
  FORWARD_TUNNEL_PROTOCOL,
  forwardPorts,
  translateCommand,
  translateForward,
  tunnelForward,
  WEBSOCKET_COMMAND_PROTOCOLS,
  WEBSOCKET_FORWARD_PROTOCOLS,
} from '@binnacle/streams';
import type { CommandStreams, TranslationGround } from '@binnacle/streams';
import type { Reply, StreamReply } from '../../../catalogue/definition.ts';
import type { StreamMeasures } from '../../../ports/measures.ts';
import type { NodeConnector, NodeReply, NodeRequest, NodeUpgraded } from '../../../ports/nodes.ts';
import type { AnsweredWebSocket, WebSocketDesk } from '../../../ports/web-sockets.ts';
import { webSocketProtocol } from '../../../request/web-socket-protocol.ts';
import { readReplyStart } from './kubelet-failure.ts';

/** The feature by which a kubelet says, in its Node's status, that it takes the WebSockets of clients as they are. */
const KUBELET_TAKES_WEBSOCKETS = 'ExtendWebSocketsToKubelet';
const COMMAND_PROTOCOL = 'v4.channel.k8s.io';

/** What a stream of a pod is to carry. */
export type StreamSubject =
  | { readonly kind: 'command'; readonly streams: CommandStreams }
  /** `ports` as the client wrote them. */
  | { readonly kind: 'forward'; readonly ports: readonly string[] };

/** A stream that a client asks for over a WebSocket, of a kubelet that is asked over SPDY. */
export interface StreamToTranslate {
  readonly subject: StreamSubject;
  /** Of the client's handshake; names in lower case. */
  readonly handshake: { readonly method: string; readonly headers: { readonly [name: string]: string } };
  readonly request: NodeRequest;
}

/** Whether a node's kubelet takes WebSockets as they come. */
export function takesWebSockets(declaredFeatures: readonly string[] | undefined): boolean {
  return declaredFeatures?.includes(KUBELET_TAKES_WEBSOCKETS) === true;
}

/** Speaks WebSocket with clients and SPDY with kubelets. */
export class StreamTranslator {
  readonly #desk: WebSocketDesk;
  readonly #nodes: Pick<NodeConnector, 'open'>;
  readonly #measures: StreamMeasures;
  readonly #ground: TranslationGround;

  constructor(
    desk: WebSocketDesk,
    nodes: Pick<NodeConnector, 'open'>,
    { clock, measures }: { clock: Clock; measures: StreamMeasures },
  ) {
    this.#desk = desk;
    this.#nodes = nodes;
    this.#measures = measures;
    // One for all: whoever sends thousands of empty frames holds nobody up.
    this.#ground = { clock, createCodec: () => desk.createCodec(), turns: new TurnBudget(clock) };
  }

  /** Throws StatusError before the connection has changed. */
  open(of: StreamToTranslate): Promise<Reply> {
    const { subject } = of;
    return subject.kind === 'command' ? this.#command(of, subject.streams) : this.#forward(of, subject.ports);
  }

  /** As upstream does it, the client has its WebSocket first, and reads there what becomes of the kubelet. */
  async #command({ handshake, request }: StreamToTranslate, streams: CommandStreams): Promise<Reply> {
    const protocol = protocolOf(handshake, WEBSOCKET_COMMAND_PROTOCOLS);
    const answer = await this.#desk.accept(handshake, protocol);
    if (answer.messages === undefined) {
      this.#measures.translated(answer.status);
      return refusalOf(answer);
    }
    const session = commandOverWebSocket(answer.messages, commandProtocol(protocol), streams);
    const dial = async (signal: AbortSignal): Promise<Duplex> => {
      const reply = await this.#dial({ ...request, signal }, COMMAND_PROTOCOL).catch((error: unknown) => {
        throw status.internalFailure(`error sending request: ${messageOf(error)}`);
      });
      if ('stream' in reply) return reply.stream;
      throw status.internalFailure(`unable to upgrade connection: ${(await readReplyStart(reply.body)).trim()}`);
    };
    // Never rejects: the client is told what fails.
    void translateCommand(session, streams, { ...this.#ground, dial }).then((came) =>
      this.#measures.translated(came === 'ended' ? 200 : 500),
    );
    return upgradedTo(answer);
  }

  /** Here the kubelet is asked first: its refusal is the client's. */
  async #forward({ handshake, request }: StreamToTranslate, texts: readonly string[]): Promise<Reply> {
    const protocol = protocolOf(handshake, WEBSOCKET_FORWARD_PROTOCOLS);
    const isTunnel = protocol === FORWARD_TUNNEL_PROTOCOL;
    const ports = isTunnel ? [] : forwardPorts(texts, protocol);
    if (typeof ports === 'string') throw status.badRequest(ports);
    const asked = await this.#dial(request, FORWARD_PROTOCOL);
    if (!('stream' in asked)) {
      if (isTunnel) this.#measures.tunneled(asked.status);
      return plainReply(asked);
    }
    const { stream: carrier } = asked;
    let answer: AnsweredWebSocket | undefined;
    try {
      answer = await this.#desk.accept(handshake, protocol);
    } finally {
      if (answer?.messages === undefined) carrier.abort();
      if (isTunnel) this.#measures.tunneled(answer?.messages === undefined ? 500 : 101);
    }
    const { messages } = answer;
    if (messages === undefined) return refusalOf(answer);
    // Never rejects: the client is told what fails, or has gone.
    void (isTunnel
      ? tunnelForward(messages, carrier, this.#ground)
      : translateForward(messages, ports, { ...this.#ground, carrier }));
    return upgradedTo(answer);
  }

  async #dial(request: NodeRequest, protocol: string): Promise<NodeReply | NodeUpgraded> {
    const headers = { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': protocol };
    const reply = await this.#nodes.open({ ...request, method: 'POST', headers });
    if (!('stream' in reply)) return reply;
    if (reply.headers['upgrade']?.toLowerCase() === 'spdy/3.1') return reply;
    reply.stream.abort();
    throw status.internalFailure('unable to upgrade: missing upgrade headers in response');
  }
}

function protocolOf({ headers }: StreamToTranslate['handshake'], spoken: readonly string[]): string {
  return webSocketProtocol(headers['sec-websocket-protocol'] ?? '', spoken);
}

const PLAIN_STREAM = {
  kind: 'stream',
  contentType: 'text/plain; charset=utf-8',
  cancel: () => undefined,
} satisfies Partial<StreamReply>;

function upgradedTo({ headers, stream }: AnsweredWebSocket): Reply {
  return { kind: 'upgrade', code: 101, headers, stream };
}

/** The answer of a kubelet that does not change the protocol, passed on. */
export function plainReply({ status: code, body }: NodeReply): StreamReply {
  return { ...PLAIN_STREAM, code, body };
}

function refusalOf({ status: code, stream }: AnsweredWebSocket): StreamReply {
  return { ...PLAIN_STREAM, code, body: piecesOf(stream), cancel: () => stream.abort() };
}

async function* piecesOf(stream: Duplex): AsyncGenerator<Uint8Array> {
  for (let chunk = await stream.read(); chunk !== undefined; chunk = await stream.read()) yield chunk;
}
