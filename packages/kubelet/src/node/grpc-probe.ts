/**
 * One question of the gRPC health protocol: a service's name out, a number back. Spoken on a bare HTTP/2 session,
 * because a session can be destroyed whatever state it is in: gRPC's own client keeps the socket of a server that
 * accepts and then says nothing, one for each probe.
 */
import { type ClientHttp2Session, type IncomingHttpHeaders, connect } from 'node:http2';
import { hostPort, sleep } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import type { GrpcProbeRequest } from '../network-probe.ts';

const CHECK = '/grpc.health.v1.Health/Check';
const SERVICE_FIELD = 0x0a;
const STATUS_FIELD = 0x08;
const SERVING = 1;
const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;

const OK = 0;
const UNKNOWN = 2;
const DEADLINE_EXCEEDED = 4;
const UNIMPLEMENTED = 12;

/** Before each message: whether it is compressed, and its length. */
const PREFIX_BYTES = 5;
/** An answer is seven bytes; a server that sends more is no health server. */
const ANSWER_BYTES_MAX = 4096;

/** gRPC's own, between attempts to connect. */
const RETRY_MS = 1_000;
const RETRY_FACTOR = 1.6;

/** How a call ended: gRPC's number and words, and what came before. */
interface CallEnd {
  readonly code: number;
  readonly details: string;
  readonly answer: Uint8Array;
}

/** Asks a health server once; undefined: it serves. Never throws: what went wrong is told in upstream's words. */
export async function probeGrpc(of: GrpcProbeRequest): Promise<string | undefined> {
  const address = hostPort(of.host, of.port);
  const within = `${of.timeoutMs / 1000}s`;
  const aborter = new AbortController();
  const deadline = realClock.after(of.timeoutMs, () => aborter.abort());
  const late = aborter.signal;
  let session: ClientHttp2Session | undefined;
  try {
    session = await connected(address, late);
    if (session === undefined)
      return `timeout: failed to connect service "${address}" within ${within}: context deadline exceeded`;
    const end = await check(session, of, late);
    return end === undefined ? `timeout: health rpc did not complete within ${within}` : verdictOf(end, within);
  } finally {
    deadline.cancel();
    session?.destroy();
  }
}

/**
 * A session with a server that spoke: it does first, with its settings. Who refuses is asked again until it is late, as
 * gRPC's own client does, so that one that is just starting is found; undefined: nobody spoke in time.
 */
async function connected(address: string, late: AbortSignal): Promise<ClientHttp2Session | undefined> {
  for (let waitMs = RETRY_MS; !late.aborted; waitMs *= RETRY_FACTOR) {
    const session = connect(`http://${address}`, { settings: { enablePush: false } });
    // What breaks a session breaks what waits for it, which tells.
    session.on('error', () => undefined);
    if (await greeted(session, late)) return session;
    session.destroy();
    // It can only end early: the loop looks at what ended it.
    await sleep(realClock, waitMs, late).catch(() => undefined);
  }
  return undefined;
}

function greeted(session: ClientHttp2Session, late: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    session.once('remoteSettings', () => resolve(true));
    session.once('close', () => resolve(false));
    late.addEventListener('abort', () => resolve(false), { once: true });
  });
}

/** Undefined: it is late. */
function check(
  session: ClientHttp2Session,
  { service, timeoutMs }: GrpcProbeRequest,
  late: AbortSignal,
): Promise<CallEnd | undefined> {
  const { promise, resolve } = Promise.withResolvers<CallEnd | undefined>();
  late.addEventListener('abort', () => resolve(undefined), { once: true });
  const stream = session.request({
    ':method': 'POST',
    ':path': CHECK,
    'content-type': 'application/grpc',
    te: 'trailers',
    'user-agent': 'kube-probe/1.36',
    'grpc-timeout': timeoutOf(timeoutMs),
  });
  const parts: Buffer[] = [];
  let size = 0;
  let status: IncomingHttpHeaders = {};
  const end = (fallback: string): void => resolve(endOf(status, Buffer.concat(parts), fallback));
  stream.on('response', (headers) => (status = { ...headers }));
  stream.on('trailers', (headers) => (status = { ...status, ...headers }));
  stream.on('data', (part: Buffer) => {
    size += part.length;
    if (size > ANSWER_BYTES_MAX) stream.destroy();
    else parts.push(part);
  });
  stream.on('error', (error: Error) => end(error.message));
  stream.on('close', () => end('the stream ended without a status'));
  stream.end(frame(encodeRequest(service)));
  return promise;
}

/** As gRPC writes it, in the smallest unit that leaves it eight digits. */
function timeoutOf(timeoutMs: number): string {
  const [ms, seconds] = [Math.ceil(timeoutMs), Math.ceil(timeoutMs / 1000)];
  if (ms < 1e8) return `${ms}m`;
  return seconds < 1e8 ? `${seconds}S` : `${Math.ceil(seconds / 60)}M`;
}

function endOf(status: IncomingHttpHeaders, answer: Uint8Array, fallback: string): CallEnd {
  const code = status['grpc-status'];
  if (typeof code === 'string' && /^\d{1,3}$/.test(code))
    return { code: Number(code), details: unescaped(String(status['grpc-message'] ?? '')), answer };
  const http = Number(status[':status'] ?? 200);
  // Who answers without gRPC's status is some other web server.
  return http === 200
    ? { code: UNKNOWN, details: fallback, answer }
    : { code: http === 404 ? UNIMPLEMENTED : UNKNOWN, details: `unexpected HTTP status code ${http}`, answer };
}

function verdictOf({ code, details, answer }: CallEnd, within: string): string | undefined {
  if (code === UNIMPLEMENTED)
    return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${details}`;
  if (code === DEADLINE_EXCEEDED) return `timeout: health rpc did not complete within ${within}`;
  if (code !== OK) return `error: health rpc probe failed: ${details}`;
  const status = decodeAnswer(answer.subarray(PREFIX_BYTES));
  return status === SERVING ? undefined : `service unhealthy (responded with "${STATUSES[status] ?? String(status)}")`;
}

function frame(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** HealthCheckRequest: `service`, a text; an empty one is left out. */
export function encodeRequest(service: string): Buffer {
  const name = Buffer.from(service);
  return name.length === 0 ? name : Buffer.concat([Buffer.from([SERVICE_FIELD, ...varint(name.length)]), name]);
}

/** HealthCheckResponse: `status`, a number; left out it is 0. What is no such message counts as UNKNOWN. */
export function decodeAnswer(bytes: Uint8Array): number {
  return bytes[0] === STATUS_FIELD && bytes.length >= 2 ? (bytes[1] ?? 0) : 0;
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

/** gRPC's messages travel percent-encoded; one that is not stays as it is. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
