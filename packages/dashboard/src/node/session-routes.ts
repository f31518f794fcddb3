import type { IncomingMessage, ServerResponse } from 'node:http';
import { CatalogueError, GrowingBytes, messageOf } from '@binnacle/base';
import type { ClientBounds } from '@binnacle/base';
import { parsedJson } from '@binnacle/machinery';
import type { Wire } from '@binnacle/machinery';
import { DATA_HEADERS } from '../headers.ts';
import { LINK_OWNER } from '../sessions.ts';
import type { Login } from '../sessions.ts';
import { sessionOf } from './pass-on.ts';
import type { DashboardWorld } from './world.ts';

/** A body was not there in time. */
class BodyDeadlineError extends CatalogueError {
  constructor() {
    super('dashboard-body', `the body was not there within ${BODY_MS_MAX} ms`);
  }
}

/** The API server does not say who somebody is. */
class ReviewDeadlineError extends CatalogueError {
  constructor() {
    super('dashboard-review', `the API server did not answer within ${REVIEW_MS_MAX} ms`);
  }
}

/** A kubeconfig with several certificates is some 20 KB. */
const BODY_BYTES_MAX = 256 * 1024;
/** A body that comes by the byte would be waited for, one connection each. */
const BODY_MS_MAX = 30_000;
const REVIEW_MS_MAX = 30_000;
/** So many may be under way: each holds a body, and asks the API server. */
export const SIGN_INS: ClientBounds = { max: 64, perClientMax: 16 };
const REVIEW = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/**
 * `POST /session` with `{code}`, `{token}` or `{kubeconfig}` answers `{session, user}`: the secret that the page sends as
 * its bearer token, and whose it is, empty for who came by a link; 401 where the API server does not know the viewer, 429 where too many are logging in at once. `DELETE /session` ends it.
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
  const { remoteAddress = '' } = request.socket;
  if (!world.signIns.enter(remoteAddress)) {
    response.setHeader('retry-after', '1');
    response.setHeader('connection', 'close');
    return send(response, 429, { error: 'too many others are logging in: try again in a moment' });
  }
  try {
    return await signIn(world, request, response);
  } finally {
    world.signIns.leave(remoteAddress);
  }
}

async function signIn(world: DashboardWorld, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const login = readLogin(await readBody(world, request));
  if (login === undefined) return send(response, 400, { error: 'a code, a token or a kubeconfig is needed' });
  if ('code' in login) {
    const session = await world.sessions.redeem(login.code);
    return session === undefined
      ? send(response, 401, { error: 'the link was used before, or is too old' })
      : send(response, 200, { session, user: LINK_OWNER });
  }
  return logIn(world, login, response);
}

async function logIn(world: DashboardWorld, login: Login, response: ServerResponse): Promise<void> {
  const given = new AbortController();
  const deadline = world.clock.after(REVIEW_MS_MAX, () => given.abort(new ReviewDeadlineError()));
  response.once('close', () => given.abort());
  let wire: Wire | undefined;
  try {
    wire = await world.open(login);
    const viewer = await whoIs(wire, given.signal);
    if ('user' in viewer) {
      const { user } = viewer;
      return send(response, 200, { session: await world.sessions.start(wire, user), user });
    }
    await wire.close();
    return send(response, 401, { error: viewer.refusal });
  } catch (error) {
    await wire?.close();
    return given.signal.reason instanceof ReviewDeadlineError
      ? send(response, 504, { error: given.signal.reason.message })
      : send(response, 401, { error: messageOf(error) });
  } finally {
    deadline.cancel();
  }
}

/** Of upstream's SelfSubjectReview what is looked at. */
interface SelfSubjectReview {
  readonly status?: { readonly userInfo?: { readonly username?: unknown } };
}

/** The name by which the API server knows the viewer; anonymous is nobody. */
async function whoIs(
  wire: Wire,
  signal: AbortSignal,
): Promise<{ readonly user: string } | { readonly refusal: string }> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const reply = await wire.raw({
    method: 'POST',
    path: REVIEW,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: new TextEncoder().encode(JSON.stringify(body)),
    signal,
  });
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of reply.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > BODY_BYTES_MAX) break;
  }
  if (reply.status !== 201) return { refusal: `the API server says ${reply.status}` };
  const user = (parsedJson(text) as SelfSubjectReview | null | undefined)?.status?.userInfo?.username;
  return typeof user === 'string' ? { user } : { refusal: 'the API server does not say who this is' };
}

function readLogin(text: string | undefined): Login | { readonly code: string } | undefined {
  if (text === undefined) return undefined;
  const value = parsedJson(text);
  const { code, token, kubeconfig } = (value ?? {}) as { readonly [field: string]: unknown };
  if (typeof code === 'string') return { code };
  if (typeof token === 'string' && token !== '') return { kind: 'token', token };
  return typeof kubeconfig === 'string' ? { kind: 'kubeconfig', kubeconfig } : undefined;
}

/** A body of at most 256 KiB, within half a minute; undefined: it is longer. Rejects where the connection ends before. */
export async function readBody(
  { clock }: Pick<DashboardWorld, 'clock'>,
  request: IncomingMessage,
): Promise<string | undefined> {
  const bytes = new GrowingBytes();
  const deadline = clock.after(BODY_MS_MAX, () => request.destroy(new BodyDeadlineError()));
  try {
    for await (const chunk of request as AsyncIterable<Uint8Array>) {
      if (bytes.length + chunk.length > BODY_BYTES_MAX) return undefined;
      bytes.add(chunk);
    }
  } finally {
    deadline.cancel();
  }
  return new TextDecoder().decode(bytes.take());
}

/** Answers with JSON. */
export function send(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { ...DATA_HEADERS, 'content-type': 'application/json' }).end(JSON.stringify(body));
}
