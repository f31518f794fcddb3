import { GrowingBytes, HttpConnectError, HttpTimeoutError, messageOf } from '@binnacle/base';
import type { Duplex, HttpCall, HttpCaller, HttpReply } from '@binnacle/base';
import { createHttpCaller } from '@binnacle/base/node';
import { RuntimeConflictError, RuntimeError, RuntimeNotFoundError, RuntimeUnavailableError } from '../errors.ts';
import type { VersionMessage } from './messages.ts';

/** What a call is about, for errors. */
export interface Subject {
  readonly what: 'sandbox' | 'container' | 'image' | 'object';
  readonly id: string;
}

/** One call of the Engine API. */
export interface DockerCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the version: `/containers/json?all=1`. */
  readonly path: string;
  /** Sent as JSON; bytes as a tar archive. */
  readonly body?: object | AsyncIterable<Uint8Array>;
  readonly headers?: { readonly [name: string]: string };
  readonly about?: Subject;
  /** Absent: two minutes; 0: none. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const CALL_TIMEOUT_MS = 120_000;
const ANSWER_BYTES_MAX = 64 << 20;
const REFUSAL_BYTES_MAX = 64 << 10;
/** Versions of the API that are spoken: the first is Engine 20.10's. */
const OLDEST = 41;
const NEWEST = 44;
const UNIX = 'unix://';
const NOTHING: Subject = { what: 'object', id: '' };
const ENCODER = new TextEncoder();

/** The Engine API over its Unix socket. Throws the room's errors. */
export class DockerApi {
  readonly endpoint: string;
  readonly #socketPath: string;
  // Every running container has its log followed.
  readonly #caller: HttpCaller = createHttpCaller({ idlePerHost: 4, connectionsMax: 4096 });
  #base: Promise<string> | undefined;

  constructor(endpoint: string) {
    this.endpoint = endpoint;
    this.#socketPath = endpoint.startsWith(UNIX) ? endpoint.slice(UNIX.length) : endpoint;
  }

  async version(): Promise<VersionMessage> {
    return JSON.parse(await this.#textOf(await this.#send('', { method: 'GET', path: '/version' }))) as VersionMessage;
  }

  /** The answer read as JSON; undefined for an answer without content. */
  async call<T>(call: DockerCall): Promise<T> {
    const text = await this.#textOf(await this.open(call));
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** The answer as it comes. */
  async open(call: DockerCall): Promise<HttpReply> {
    return this.#send(await this.#versioned(), call);
  }

  /** A stream both ways, where the answer would be. */
  async upgrade(call: DockerCall): Promise<Duplex> {
    const base = await this.#versioned();
    const asked = this.#request(base, { ...call, headers: { ...call.headers, upgrade: 'tcp' } });
    const reply = await this.#told(call, () => this.#caller.upgrade(asked));
    if ('stream' in reply) return reply.stream;
    throw await this.#refusal(reply, call.about ?? NOTHING);
  }

  close(): Promise<void> {
    return this.#caller.close();
  }

  #versioned(): Promise<string> {
    // A failure is not kept: the engine may come later.
    this.#base ??= this.version().then(spokenVersion, (error: unknown) => {
      this.#base = undefined;
      throw error;
    });
    return this.#base;
  }

  async #send(base: string, call: DockerCall): Promise<HttpReply> {
    const reply = await this.#told(call, () => this.#caller.request(this.#request(base, call)));
    if (reply.status >= 400) throw await this.#refusal(reply, call.about ?? NOTHING);
    return reply;
  }

  #request(base: string, { method, path, body, headers, timeoutMs, signal }: DockerCall): HttpCall {
    const limit = timeoutMs ?? CALL_TIMEOUT_MS;
    return {
      method,
      url: `http://docker${base}${path}`,
      socketPath: this.#socketPath,
      headers: { ...(body === undefined ? {} : { 'content-type': contentType(body) }), ...headers },
      ...(body === undefined ? {} : { body: isBytes(body) ? body : ENCODER.encode(JSON.stringify(body)) }),
      ...(limit === 0 ? {} : { timeoutMs: limit }),
      ...(signal === undefined ? {} : { signal }),
    };
  }

  async #told<T>(call: DockerCall, send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      if (error instanceof HttpTimeoutError) {
        throw new RuntimeError(`Docker did not answer ${call.method} ${call.path}: ${error.message}`, { cause: error });
      }
      if (error instanceof HttpConnectError) throw new RuntimeUnavailableError(this.endpoint, error);
      throw error;
    }
  }

  async #textOf(reply: HttpReply): Promise<string> {
    try {
      return await readText(reply, ANSWER_BYTES_MAX);
    } catch (error) {
      if (error instanceof HttpConnectError) throw new RuntimeUnavailableError(this.endpoint, error);
      throw error;
    }
  }

  async #refusal(reply: HttpReply, about: Subject): Promise<RuntimeError> {
    const text = await readText(reply, REFUSAL_BYTES_MAX).catch((error: unknown) => messageOf(error));
    const message = messageIn(text) ?? `Docker answered ${reply.status}: ${text}`;
    if (reply.status === 404 && about.id !== '') return new RuntimeNotFoundError(about.what, about.id, message);
    if (reply.status === 409) return new RuntimeConflictError(message);
    return new RuntimeError(message);
  }
}

/** Throws RuntimeError for an engine that is too old or too new. */
function spokenVersion({ ApiVersion: newest, MinAPIVersion: oldest = '1.12' }: VersionMessage): string {
  const spoken = Math.min(NEWEST, minorOf(newest));
  if (spoken < OLDEST || spoken < minorOf(oldest)) {
    throw new RuntimeError(
      `Docker speaks versions ${oldest} to ${newest} of its API; this driver needs one from 1.${OLDEST} to 1.${NEWEST}`,
      { code: 'engine-version' },
    );
  }
  return `/v1.${spoken}`;
}

function minorOf(version: string): number {
  return Number(/^1\.(\d+)$/.exec(version)?.[1] ?? 0);
}

function isBytes(body: object): body is AsyncIterable<Uint8Array> {
  return Symbol.asyncIterator in body;
}

function contentType(body: object): string {
  return isBytes(body) ? 'application/x-tar' : 'application/json';
}

function messageIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    // A proxy's page, or cut off: the text itself is told.
    return undefined;
  }
}

async function readText({ body }: HttpReply, bytesMax: number): Promise<string> {
  const bytes = new GrowingBytes();
  for await (const part of body) {
    if (bytes.length + part.length > bytesMax)
      throw new RuntimeError(`an answer of Docker has more than ${bytesMax} bytes`);
    bytes.add(part);
  }
  return new TextDecoder().decode(bytes.take());
}
