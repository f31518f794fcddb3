import type { HttpCall, HttpCaller, HttpReply, HttpUpgraded } from '@binnacle/base';
import type { StreamReply, UpgradeReply } from '../catalogue/definition.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { untilCancelled } from '../request/until-cancelled.ts';
import type { Until } from '../request/until-cancelled.ts';

/** Where a request goes on to, and as what. */
export interface Onward extends Pick<HttpCall, 'url' | 'trust' | 'dial' | 'connect' | 'permits' | 'onFlaw'> {
  readonly http: Pick<HttpCaller, 'request' | 'upgrade'>;
  /** Set in place of the client's own; names in lower case. */
  readonly headers: { readonly [name: string]: string | readonly string[] };
}

/** The other side's answer, to be sent on as it comes. */
export type Forwarded = (StreamReply & { readonly headers: ForwardedHeaders }) | UpgradeReply;
export type ForwardedHeaders = { readonly [name: string]: string | readonly string[] };

/** They mean one connection, and end with it (RFC 9110, 7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings'],
]);
/** What a client shows to this server alone; `expect` has been answered here. */
const FOR_US: ReadonlySet<string> = new Set(['authorization', 'expect', 'x-forwarded-for']);
const FOR_US_PREFIXES = ['impersonate-', 'x-remote-', ':'];
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/**
 * Passes a request on and the answer back, bodies at the pace of who takes them; one that asks for another protocol
 * gets it where the other side changes too. A client that goes away ends it at any moment. Throws what the caller of
 * the other side throws: HttpConnectError, AbortedError.
 */
export async function forward(request: ApiRequest, onward: Onward): Promise<Forwarded> {
  const until = untilCancelled(request);
  const { http, headers, ...target } = onward;
  const upgrade = request.header('upgrade');
  const call: HttpCall = {
    ...target,
    method: request.method,
    headers: { ...headersToSend(request), ...headers },
    signal: until.signal,
  };
  try {
    if (upgrade !== '') return answerOf(request, await http.upgrade(withUpgrade(call, upgrade)), until);
    return answerOf(request, await http.request(withBody(call, request)), until);
  } catch (error) {
    until.cancel();
    throw error;
  }
}

function withUpgrade(call: HttpCall, protocol: string): HttpCall {
  return { ...call, headers: { ...call.headers, upgrade: protocol } };
}

/** A body goes on as it comes; one of unknown length in chunks, whatever the method. */
function withBody(call: HttpCall, request: ApiRequest): HttpCall {
  const { body } = request;
  if (body.kind === 'none') return call;
  if (body.kind === 'value') return { ...call, body: new TextEncoder().encode(JSON.stringify(body.value)) };
  const length = request.header('content-length');
  const framing = length === '' ? { 'transfer-encoding': 'chunked' } : { 'content-length': length };
  const pieces = body.stream?.() ?? wholeOf(body.read());
  return { ...call, headers: { ...call.headers, ...framing }, body: pieces };
}

async function* wholeOf(reading: Promise<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield await reading;
}

function headersToSend(request: ApiRequest): { [name: string]: string | string[] } {
  if (request.headerLines === undefined) return headersOfValue(request);
  const named = listOf(request.header('connection'));
  const sent = new Map<string, string[]>();
  for (const [name, value] of request.headerLines()) {
    if (HOP_BY_HOP.has(name) || named.has(name) || isForUs(name) || name === 'content-length') continue;
    const known = sent.get(name);
    if (known === undefined) sent.set(name, [value]);
    else known.push(value);
  }
  const host = request.header('host') || request.header(':authority');
  const via = [request.header('x-forwarded-for'), request.remoteAddress?.() ?? ''].filter((part) => part !== '');
  return {
    ...Object.fromEntries([...sent].map(([name, values]) => [name, joined(name, values)])),
    ...(host === '' ? {} : { host }),
    ...(via.length === 0 ? {} : { 'x-forwarded-for': via.join(', ') }),
  };
}

/** A caller in this process says what it sends, and takes JSON. */
function headersOfValue(request: ApiRequest): { [name: string]: string } {
  const type = request.header('content-type') || 'application/json';
  return { accept: 'application/json', ...(request.body.kind === 'none' ? {} : { 'content-type': type }) };
}

/** HTTP/2 takes cookies apart; HTTP/1.1 has one line of them (RFC 9113, 8.2.3). */
function joined(name: string, values: string[]): string | string[] {
  const [only] = values;
  if (values.length === 1 && only !== undefined) return only;
  return name === 'cookie' ? values.join('; ') : values;
}

function isForUs(name: string): boolean {
  return FOR_US.has(name) || FOR_US_PREFIXES.some((prefix) => name.startsWith(prefix));
}

function answerOf(request: ApiRequest, reply: HttpReply | HttpUpgraded, until: Until): Forwarded {
  const headers = headersToShow(reply.headers);
  if ('stream' in reply) {
    const flat = Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : value.join(', '),
    ]);
    const protocol = reply.headers['upgrade'];
    return {
      kind: 'upgrade',
      code: 101,
      headers: { ...Object.fromEntries(flat), ...(typeof protocol === 'string' ? { upgrade: protocol } : {}) },
      stream: reply.stream,
    };
  }
  const { status: code, body } = reply;
  const type = headers['content-type'];
  // What has no body is read to its end at once, which frees the connection.
  const isEmpty = request.method === 'HEAD' || BODILESS.has(code);
  return {
    kind: 'stream',
    code,
    contentType: typeof type === 'string' ? type : '',
    headers,
    ...(isEmpty ? { body: drained(body, until), isEmpty } : { body }),
    cancel: () => until.cancel(),
  };
}

/** Begins at once. */
function drained(body: AsyncIterable<Uint8Array>, until: Until): AsyncIterable<Uint8Array> {
  const reading = readAway(body).catch(() => until.cancel());
  return (async function* () {
    await reading;
    yield* [];
  })();
}

async function readAway(body: AsyncIterable<Uint8Array>): Promise<void> {
  const pieces = body[Symbol.asyncIterator]();
  while ((await pieces.next()).done !== true);
}

function headersToShow(headers: HttpReply['headers']): { [name: string]: string | readonly string[] } {
  const connection = headers['connection'];
  const named = listOf(typeof connection === 'string' ? connection : '');
  const shown: { [name: string]: string | readonly string[] } = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !HOP_BY_HOP.has(name) && !named.has(name)) shown[name] = value;
  }
  return shown;
}

/** The names in a header's list, in lower case. */
function listOf(text: string): ReadonlySet<string> {
  return new Set(text.split(',').map((name) => name.trim().toLowerCase()));
}
