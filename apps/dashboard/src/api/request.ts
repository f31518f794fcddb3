import { again } from './again.ts';
import { currentSession, forgetSession } from './session.ts';

/** A refusal of the API server, with its Status where it sent one. */
export class ApiError extends Error {
  readonly code: number;
  /** `Forbidden`, `NotFound`, …; empty where there was no Status. */
  readonly reason: string;

  constructor(code: number, message: string, reason: string) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.reason = reason;
  }
}

/** One call of the Kubernetes API. */
export interface ApiRequest {
  readonly method?: string;
  readonly path: string;
  readonly accept?: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /** Asked twice it does no more than once; absent: so it is with GET alone. */
  readonly isQuestion?: boolean;
}

/** What came back, and what the server wants the writer to know. */
export interface ApiReply<T> {
  readonly value: T;
  readonly warnings: readonly string[];
}

/** Calls the API. Throws ApiError; 401 forgets the session, and the page asks for a login again. */
export async function request<T>(call: ApiRequest): Promise<ApiReply<T>> {
  const { method = 'GET', signal, isQuestion = method === 'GET' } = call;
  const { reply, text, session } = await (isQuestion ? again(() => send(call), { signal }) : send(call));
  if (reply.status === 401) onUnknown(session);
  if (!reply.ok) throw errorOf(reply.status, text);
  const isJson = (reply.headers.get('content-type') ?? '').includes('json');
  return { value: (isJson ? JSON.parse(text) : text) as T, warnings: warningsOf(reply.headers.get('warning')) };
}

/** What came back, and to whom. */
interface Answer {
  readonly reply: Response;
  readonly text: string;
  readonly session: string | undefined;
}

async function send(call: ApiRequest): Promise<Answer> {
  const { method = 'GET', path, accept = 'application/json', body, contentType = 'application/json', signal } = call;
  const session = currentSession();
  const reply = await fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${session ?? ''}`,
      accept,
      ...(body === undefined ? {} : { 'content-type': contentType }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  return { reply, text: await reply.text(), session };
}

function onUnknown(session: string | undefined): void {
  // Who logged in since is somebody else.
  if (session !== currentSession()) return;
  forgetSession();
  dispatchEvent(new Event('session-over'));
}

function errorOf(code: number, text: string): ApiError {
  try {
    const { message, reason } = JSON.parse(text) as { readonly message?: string; readonly reason?: string };
    if (message !== undefined) return new ApiError(code, message, reason ?? '');
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return new ApiError(code, text.trim() || `HTTP ${code}`, '');
}

/** `299 - "text", 299 - "text"` (RFC 7234). */
export function warningsOf(header: string | null): readonly string[] {
  const texts = (header ?? '').matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g);
  return [...texts].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'));
}
