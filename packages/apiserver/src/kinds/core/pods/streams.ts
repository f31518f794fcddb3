import type { Pod } from '@binnacle/api/core/v1';
import { messageOf } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import { status, StatusError } from '@binnacle/machinery';
import type { Call, Handler, Handlers, Reply } from '../../../catalogue/definition.ts';
import type { StreamMeasures } from '../../../ports/measures.ts';
import type { NodeConnector } from '../../../ports/nodes.ts';
import type { CacheReader } from '../../../ports/reader.ts';
import type { WebSocketDesk } from '../../../ports/web-sockets.ts';
import { chooseContainer } from './choose-container.ts';
import { kubeletAddress } from './kubelet-address.ts';
import { connectorOf, readNode, readPod } from './lookup.ts';
import { plainReply, StreamTranslator, takesWebSockets } from './translate-streams.ts';
import type { StreamSubject } from './translate-streams.ts';

/** What streams of pods need. */
export interface PodStreamWorld {
  readonly get: Handler<Call>;
  readonly cache: CacheReader;
  /** Absent: no kubelet can be asked. */
  readonly nodes: NodeConnector | undefined;
  readonly streams: StreamMeasures;
  /** Absent: every kubelet is asked in whatever the client speaks. */
  readonly webSockets: WebSocketDesk | undefined;
  readonly clock: Clock;
}

/** The handshake's own headers: what they mean is agreed between the client and the kubelet. */
const PASSED_ON = [
  'upgrade',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'sec-websocket-extensions',
  'x-stream-protocol-version',
];

/** What the kubelet is asked for. */
interface Wanted {
  /** With its query. */
  readonly path: string;
  readonly subject: StreamSubject;
}

/** What one request means. Throws 400 for what cannot be meant. */
type Target = (pod: Pod, call: Call) => Wanted;

/**
 * `exec`, `attach` and `portforward` of pods: the connection is joined to the kubelet's, byte for byte; a WebSocket of which
 * the kubelet does not say that it takes such is taken here, and the kubelet asked over SPDY.
 */
export function podStreams(world: PodStreamWorld): {
  readonly [subresource: string]: { readonly handlers: Handlers<Call> };
} {
  const { webSockets, nodes, clock, streams: measures } = world;
  const isAble = webSockets !== undefined && nodes !== undefined;
  const translator = isAble ? new StreamTranslator(webSockets, nodes, { clock, measures }) : undefined;
  const handlers = (target: Target): { readonly handlers: Handlers<Call> } => {
    const open: Handler<Call> = (call) => openStream(world, translator, { call, target });
    return { handlers: { get: open, create: open } };
  };
  return { exec: handlers(execTarget), attach: handlers(attachTarget), portforward: handlers(forwardTarget) };
}

async function openStream(
  world: PodStreamWorld,
  translator: StreamTranslator | undefined,
  { call, target }: { readonly call: Call; readonly target: Target },
): Promise<Reply> {
  const { request, info } = call;
  const pod = await readPod(world.get, call);
  const { path, subject } = target(pod, call);
  const { nodeName = '' } = pod.spec;
  if (nodeName === '') throw status.badRequest(`pod ${info.name} does not have a host assigned`);
  if (request.header('upgrade') === '') throw status.badRequest('Upgrade request required');
  const node = readNode(world.cache, nodeName);
  const headers = Object.fromEntries(
    PASSED_ON.map((name) => [name, request.header(name)] as const).filter(([, value]) => value !== ''),
  );
  const nodes = connectorOf(world.nodes);
  const isWebSocket = request.header('upgrade').toLowerCase() === 'websocket';
  const isTranslated = isWebSocket && translator !== undefined && !takesWebSockets(node.status?.declaredFeatures);
  if (isWebSocket) {
    world.streams.webSocket(info.subresource, isTranslated ? 'translated_at_apiserver' : 'proxied_to_kubelet');
  }
  const signal = request.signal ?? new AbortController().signal;
  const onward = { nodeName, ...kubeletAddress(node), path, insecure: false, signal };
  const { method } = request;
  try {
    if (isTranslated) return await translator.open({ subject, handshake: { method, headers }, request: onward });
    const reply = await nodes.open({ ...onward, method, headers });
    if ('stream' in reply) return { kind: 'upgrade', code: 101, headers: reply.headers, stream: reply.stream };
    return plainReply(reply);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw status.internalFailure(`error dialing backend: ${messageOf(error)}`);
  }
}

function execTarget(pod: Pod, call: Call): Wanted {
  const command = call.query.all('command');
  if (command.length === 0) throw status.badRequest('you must specify at least 1 command for the container');
  return commandTarget('exec', pod, { call, command });
}

function attachTarget(pod: Pod, call: Call): Wanted {
  return commandTarget('attach', pod, { call, command: [] });
}

function commandTarget(
  head: string,
  pod: Pod,
  { call, command }: { readonly call: Call; readonly command: readonly string[] },
): Wanted {
  const { query, info } = call;
  const [stdin, stdout, stderr, tty] = [
    query.bool('stdin'),
    wanted(call, 'stdout'),
    wanted(call, 'stderr'),
    query.bool('tty'),
  ];
  if (!stdin && !stdout && !stderr) {
    throw status.badRequest('you must specify at least one of stdin, stdout, stderr');
  }
  const container = chooseContainer(pod, query.get('container'));
  const flags = Object.entries({ input: stdin, output: stdout, error: stderr, tty })
    .filter(([, on]) => on)
    .map(([name]) => `${name}=1`);
  const parts = [...command.map((word) => `command=${encodeURIComponent(word)}`), ...flags];
  const path = `/${[head, info.namespace, info.name, container].map(encodeURIComponent).join('/')}?${parts.join('&')}`;
  return { path, subject: { kind: 'command', streams: { stdin, stdout, stderr, tty } } };
}

/** `stdout` and `stderr` are on where nothing is said about them. */
function wanted({ query }: Call, name: string): boolean {
  return query.has(name) ? query.bool(name) : true;
}

function forwardTarget(_pod: Pod, call: Call): Wanted {
  const { info } = call;
  const ports = call.query.all('ports');
  const query = ports.map((port) => `port=${encodeURIComponent(port)}`).join('&');
  const path = ['portForward', info.namespace, info.name].map(encodeURIComponent).join('/');
  return { path: `/${path}${query === '' ? '' : '?'}${query}`, subject: { kind: 'forward', ports } };
}
