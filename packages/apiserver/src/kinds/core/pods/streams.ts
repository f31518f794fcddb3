import type { Node, Pod } from '@binnacle/api/core/v1';
import { NODES } from '@binnacle/api';
import { messageOf } from '@binnacle/base';
import { status, StatusError } from '@binnacle/machinery';
import type { Call, Handler, Handlers, Reply } from '../../../catalogue/definition.ts';
import type { StreamMeasures } from '../../../ports/measures.ts';
import type { NodeConnector } from '../../../ports/nodes.ts';
import type { CacheReader } from '../../../ports/reader.ts';
import { chooseContainer } from './choose-container.ts';
import { kubeletAddress } from './kubelet-address.ts';

/** What streams of pods need. */
export interface PodStreamWorld {
  readonly get: Handler<Call>;
  readonly cache: CacheReader;
  /** Absent: no kubelet can be asked. */
  readonly nodes: NodeConnector | undefined;
  readonly streams: StreamMeasures;
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

/** The kubelet's path and query for one request. Throws 400 for what cannot be meant. */
type Target = (pod: Pod, call: Call) => string;

/** `exec`, `attach` and `portforward` of pods: the connection is joined to the kubelet's, byte for byte. */
export function podStreams(world: PodStreamWorld): {
  readonly [subresource: string]: { readonly handlers: Handlers<Call> };
} {
  const handlers = (target: Target): { readonly handlers: Handlers<Call> } => {
    const open: Handler<Call> = (call) => openStream(world, call, target);
    return { handlers: { get: open, create: open } };
  };
  return { exec: handlers(execTarget), attach: handlers(attachTarget), portforward: handlers(forwardTarget) };
}

async function openStream(world: PodStreamWorld, call: Call, target: Target): Promise<Reply> {
  const { request, info } = call;
  const pod = await readPod(world.get, call);
  const path = target(pod, call);
  const { nodeName = '' } = pod.spec;
  if (nodeName === '') throw status.badRequest(`pod ${info.name} does not have a host assigned`);
  if (request.header('upgrade') === '') throw status.badRequest('Upgrade request required');
  const node = world.cache.get(NODES, '', nodeName) as Node | undefined;
  if (node === undefined) throw status.notFound(NODES, nodeName);
  const headers = PASSED_ON.map((name) => [name, request.header(name)] as const).filter(([, value]) => value !== '');
  if (world.nodes === undefined) throw status.serviceUnavailable('this API server has no way to its nodes');
  if (request.header('upgrade').toLowerCase() === 'websocket') world.streams.webSocketPassedOn(info.subresource);
  try {
    const reply = await world.nodes.open({
      nodeName,
      ...kubeletAddress(node),
      method: request.method,
      path,
      headers: Object.fromEntries(headers),
      insecure: false,
      signal: request.signal ?? new AbortController().signal,
    });
    if ('stream' in reply) return { kind: 'upgrade', code: 101, headers: reply.headers, stream: reply.stream };
    const contentType = 'text/plain; charset=utf-8';
    return { kind: 'stream', code: reply.status, contentType, body: reply.body, cancel: () => undefined };
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw status.internalFailure(`error dialing backend: ${messageOf(error)}`);
  }
}

function execTarget(pod: Pod, call: Call): string {
  const command = call.query.all('command');
  if (command.length === 0) throw status.badRequest('you must specify at least 1 command for the container');
  return commandTarget('exec', pod, { call, command });
}

function attachTarget(pod: Pod, call: Call): string {
  return commandTarget('attach', pod, { call, command: [] });
}

function commandTarget(
  head: string,
  pod: Pod,
  { call, command }: { readonly call: Call; readonly command: readonly string[] },
): string {
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
  return `/${[head, info.namespace, info.name, container].map(encodeURIComponent).join('/')}?${parts.join('&')}`;
}

/** `stdout` and `stderr` are on where nothing is said about them. */
function wanted({ query }: Call, name: string): boolean {
  return query.has(name) ? query.bool(name) : true;
}

function forwardTarget(_pod: Pod, call: Call): string {
  const { info } = call;
  const ports = call.query.all('ports').map((port) => `port=${encodeURIComponent(port)}`);
  const path = ['portForward', info.namespace, info.name].map(encodeURIComponent).join('/');
  return `/${path}${ports.length === 0 ? '' : '?'}${ports.join('&')}`;
}

async function readPod(get: Handler<Call>, call: Call): Promise<Pod> {
  const reply = await get(call);
  if (reply.kind !== 'entry') throw status.notFound(call.served.info, call.info.name);
  return call.served.view(reply.entry) as Pod;
}
