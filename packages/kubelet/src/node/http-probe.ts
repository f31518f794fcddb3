import { request as httpsRequest } from 'node:https';
import { hostPort, messageOf } from '@binnacle/base';
import { LAX_REPLIES, nodeHttp, realClock } from '@binnacle/base/node';
import type { HttpProbeAnswer, HttpProbeRequest } from '../network-probe.ts';
import { goError } from './go-error.ts';

const BODY_BYTES_MAX = 10 * 1024;
const REQUESTS_MAX = 10;
const MOVED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const NO_HEADERS = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
const NO_BODY = 'context deadline exceeded (Client.Timeout or context cancellation while reading body)';

/**
 * One GET, and those that it is sent on to on the same host, within the time given. A redirect to another host is
 * answered as it is. (Upstream's prober.)
 */
export async function probeHttp(of: HttpProbeRequest): Promise<HttpProbeAnswer> {
  const deadline = new AbortController();
  const timer = realClock.after(of.timeoutMs, () => deadline.abort());
  try {
    return await follow(of, deadline.signal);
  } finally {
    timer.cancel();
  }
}

async function follow(of: HttpProbeRequest, signal: AbortSignal): Promise<HttpProbeAnswer> {
  let shown = `${of.scheme.toLowerCase()}://${hostPort(of.host, of.port)}${of.path}`;
  if (!URL.canParse(shown)) return { error: `Get "${shown}": invalid URL` };
  let url = new URL(shown);
  let headers = headersOf(of);
  for (let requests = 1; ; requests++) {
    const answer = await get(url, headers, signal);
    if ('error' in answer) return { ...answer, error: `Get "${shown}": ${answer.error}` };
    const { status, body, location = '' } = answer;
    if (!MOVED.has(status) || location === '' || !URL.canParse(location, url.href)) return { status, body };
    const next = new URL(location, url);
    if (next.hostname !== url.hostname || !/^https?:$/.test(next.protocol)) return { status, body };
    shown = next.href;
    if (requests === REQUESTS_MAX) return { error: `Get "${shown}": stopped after ${REQUESTS_MAX} redirects` };
    // Whoever names a host means the one that it names.
    if (URL.canParse(location)) headers = withoutHost(headers);
    url = next;
  }
}

type Headers = { readonly [name: string]: string | string[] };

/** As sent: what is given twice goes twice; an empty User-Agent or Accept goes not at all. */
function headersOf({ headers, userAgent = 'kube-probe' }: HttpProbeRequest): Headers {
  const sent = new Map<string, string[]>();
  for (const { name, value } of headers) {
    const known = sent.get(canonical(name));
    if (known === undefined) sent.set(canonical(name), [value]);
    else known.push(value);
  }
  for (const [name, value] of [
    ['User-Agent', `${userAgent}/1.36`],
    ['Accept', '*/*'],
  ] as const) {
    const [given] = sent.get(name) ?? [value];
    sent.delete(name);
    if (given !== undefined && given !== '') sent.set(name, [given]);
  }
  const [host] = sent.get('Host') ?? [];
  sent.delete('Host');
  if (host !== undefined && host !== '') sent.set('Host', [host]);
  sent.set('Connection', ['close']);
  return Object.fromEntries(
    [...sent].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

/** `x-my-header` → `X-My-Header`, as Go sends it. */
function canonical(name: string): string {
  return name
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
    .join('-');
}

function withoutHost({ Host: _host, ...rest }: Headers): Headers {
  return rest;
}

interface Got {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: string;
}

/** What OpenSSL says of an answer that is no TLS. */
const NO_TLS: ReadonlySet<string> = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'EPROTO',
]);

/** Why there is no answer; Go's words where one came that is no TLS. */
function failure(
  error: Error & { readonly code?: string },
  url: URL,
): Extract<HttpProbeAnswer, { readonly error: string }> {
  if (url.protocol === 'https:' && NO_TLS.has(error.code ?? ''))
    return { error: 'http: server gave HTTP response to HTTPS client', speaksPlain: true };
  return { error: goError(error, url) };
}

function get(
  url: URL,
  headers: Headers,
  signal: AbortSignal,
): Promise<Got | Extract<HttpProbeAnswer, { readonly error: string }>> {
  const isTls = url.protocol === 'https:';
  return new Promise((resolve) => {
    const fail = (error: Error): void => resolve(signal.aborted ? { error: NO_HEADERS } : failure(error, url));
    try {
      const request = (isTls ? httpsRequest : nodeHttp().request)(
        url,
        { headers, agent: false, signal, ...LAX_REPLIES, ...(isTls ? { rejectUnauthorized: false } : {}) },
        (response) => {
          const chunks: Buffer[] = [];
          let size = 0;
          const done = (): void => {
            const body = Buffer.concat(chunks).subarray(0, BODY_BYTES_MAX).toString();
            resolve({ status: response.statusCode ?? 0, location: response.headers.location, body });
            request.destroy();
          };
          response.on('data', (chunk: Buffer) => {
            chunks.push(chunk);
            size += chunk.length;
            if (size >= BODY_BYTES_MAX) done();
          });
          response.on('end', done);
          response.on('error', (error) => resolve({ error: signal.aborted ? NO_BODY : error.message }));
        },
      );
      request.on('error', fail);
      request.end();
    } catch (error) {
      // A header that cannot be sent.
      resolve({ error: messageOf(error) });
    }
  });
}
