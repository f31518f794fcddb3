/** One answer of a server of manifests, wherever it sends us: bounded in size, time and steps. */
import type { Clock, HttpCaller, HttpReply } from '@binnacle/base';
import { ManifestError } from '../errors.ts';

/** What is asked of whom. */
export interface ManifestCall {
  /** `http:` or `https:`. */
  readonly url: string;
  readonly headers: { readonly [name: string]: readonly string[] };
}

export const MANIFEST_BYTES_MAX = 10 << 20;
const TIMEOUT_MS = 10_000;
const REDIRECTS_MAX = 10;
const MOVED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Meant for the one who was asked, and for nobody else. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'cookie2',
  'proxy-authorization',
  'proxy-authenticate',
  'www-authenticate',
]);

/** As it is shown: without the name and password that may be in it. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href;
}

/** The text that a server of manifests has now. Throws ManifestError, and what the call throws. */
export async function fetchManifest(
  { http, clock }: { readonly http: HttpCaller; readonly clock: Clock },
  call: ManifestCall,
): Promise<string> {
  const deadline = clock.monotonic() + TIMEOUT_MS;
  let at: ManifestCall = { url: call.url, headers: lowered(call.headers) };
  for (let steps = 0; steps <= REDIRECTS_MAX; steps++) {
    const { request, headers } = requestOf(at);
    const timeoutMs = Math.max(1, deadline - clock.monotonic());
    const reply = await http.request({ method: 'GET', url: request, headers, timeoutMs });
    const { location } = reply.headers;
    if (!MOVED.has(reply.status) || typeof location !== 'string') return textOf(shownUrl(at.url), reply);
    await dropped(reply);
    at = movedTo(at, location);
  }
  throw new ManifestError(shownUrl(call.url), `stopped after ${REDIRECTS_MAX} redirects`);
}

function lowered(headers: ManifestCall['headers']): ManifestCall['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, values]) => [name.toLowerCase(), values]));
}

/** A name and a password in the address are told by a header. */
function requestOf({ url, headers }: ManifestCall): {
  readonly request: string;
  readonly headers: ManifestCall['headers'];
} {
  const { username, password } = new URL(url);
  if (username === '' && password === '') return { request: url, headers };
  const pair = new TextEncoder().encode(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  const authorization = [`Basic ${btoa(String.fromCharCode(...pair))}`];
  return { request: shownUrl(url), headers: { authorization, ...headers } };
}

/** What is secret goes to no other host, nor from TLS to none. Throws ManifestError for what cannot be followed. */
function movedTo({ url, headers }: ManifestCall, location: string): ManifestCall {
  const [from, to] = [new URL(url), URL.parse(location, url)];
  if (to === null) throw new ManifestError(shownUrl(url), `moved to nowhere: ${location.slice(0, 200)}`);
  if (!/^https?:$/.test(to.protocol)) throw new ManifestError(shownUrl(url), `moved to ${to.protocol}`);
  const isSame = to.hostname === from.hostname || to.hostname.endsWith(`.${from.hostname}`);
  if (isSame && !(from.protocol === 'https:' && to.protocol === 'http:')) return { url: to.href, headers };
  const kept = Object.entries(headers).filter(([name]) => !SECRET_HEADERS.has(name));
  return { url: to.href, headers: Object.fromEntries(kept) };
}

async function textOf(shown: string, { status, body }: HttpReply): Promise<string> {
  if (status !== 200) {
    await dropped({ body });
    throw new ManifestError(shown, `answered ${status}`);
  }
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MANIFEST_BYTES_MAX) throw new ManifestError(shown, `has more than ${MANIFEST_BYTES_MAX} bytes`);
    pieces.push(piece);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return new TextDecoder().decode(whole);
}

/** Nobody reads it: its connection goes. */
async function dropped({ body }: Pick<HttpReply, 'body'>): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}
