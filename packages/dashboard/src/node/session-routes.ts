import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf } from '@binnacle/base';
import { parsedJson } from '@binnacle/machinery';
import type { Wire } from '@binnacle/machinery';
import { DATA_HEADERS } from '../headers.ts';
import type { Login } from '../sessions.ts';
import { sessionOf } from './pass-on.ts';
import type { DashboardWorld } from './world.ts';

/** A kubeconfig with several certificates is some 20 KB. */
const BODY_BYTES_MAX = 256 * 1024;
const REVIEW = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/**
 * `POST /session` with `{code}`, `{token}` or `{kubeconfig}` answers `{session}`, the secret that the page sends as its
 * bearer token; 401 where the API server does not know the viewer. `DELETE /session` ends it.
 */
export async function serveSession(
  world: DashboardWorld,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method } = request;
  if (method === 'DELETE') {
    const { authorization = '' } = request.headers;
    if (sessionOf(world, request) !== undefined) await world.sessions.end(authorization.slice('Bearer '.length));
    return send(response, 200, {});
  }
  if (method !== 'POST') return send(response, 405, { error: 'POST or DELETE' });
  const login = readLogin(await readBody(request));
  if (login === undefined) return send(response, 400, { error: 'a code, a token or a kubeconfig is needed' });
  if ('code' in login) {
    const session = await world.sessions.redeem(login.code);
    return session === undefined
      ? send(response, 401, { error: 'the link was used before, or is too old' })
      : send(response, 200, { session });
  }
  return logIn(world, login, response);
}

async function logIn(world: DashboardWorld, login: Login, response: ServerResponse): Promise<void> {
  let wire: Wire | undefined;
  try {
    wire = await world.open(login);
    const refusal = await refusalOf(wire);
    if (refusal === undefined) return send(response, 200, { session: await world.sessions.start(wire) });
    await wire.close();
    return send(response, 401, { error: refusal });
  } catch (error) {
    await wire?.close();
    return send(response, 401, { error: messageOf(error) });
  }
}

/** Whether the API server knows the viewer by a name; anonymous is nobody. */
async function refusalOf(wire: Wire): Promise<string | undefined> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const reply = await wire.raw({
    method: 'POST',
    path: REVIEW,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: new TextEncoder().encode(JSON.stringify(body)),
  });
  let text = '';
  for await (const chunk of reply.body) {
    text += new TextDecoder().decode(chunk);
    if (text.length > BODY_BYTES_MAX) break;
  }
  return reply.status === 201 ? undefined : `the API server says ${reply.status}`;
}

function readLogin(text: string | undefined): Login | { readonly code: string } | undefined {
  if (text === undefined) return undefined;
  const value = parsedJson(text);
  const { code, token, kubeconfig } = (value ?? {}) as { readonly [field: string]: unknown };
  if (typeof code === 'string') return { code };
  if (typeof token === 'string' && token !== '') return { kind: 'token', token };
  return typeof kubeconfig === 'string' ? { kind: 'kubeconfig', kubeconfig } : undefined;
}

/** A body of at most 256 KiB; undefined: it is longer. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) return undefined;
    parts.push(chunk);
  }
  return Buffer.concat(parts, length).toString('utf8');
}

/** Answers with JSON. */
export function send(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { ...DATA_HEADERS, 'content-type': 'application/json' }).end(JSON.stringify(body));
}
