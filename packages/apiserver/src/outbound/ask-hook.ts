import type { Clock, HttpCaller, HttpReply } from '@binnacle/base';
import { AbortedError, CatalogueError, HttpConnectError, HttpTimeoutError } from '@binnacle/base';
import { DecodeError, parseDocument, StatusError } from '@binnacle/machinery';
import { certificateNotes } from './certificate-notes.ts';
import type { Annotate } from './certificate-notes.ts';
import { cleanPath, withCleanPath } from './clean-path.ts';
import { readDocumentText } from './read-answer.ts';
import { findServiceEndpoint } from './service-endpoint.ts';
import type { EndpointWorld } from './service-endpoint.ts';

/** Of a review's answer: more than the largest object with its patch. The rest of a longer answer is not read. */
const ANSWER_BYTES_MAX = 10 << 20;

export interface HookWorld extends EndpointWorld {
  readonly clock: Pick<Clock, 'after'>;
  /** Absent: nobody can be asked. */
  readonly http: HttpCaller | undefined;
}

/** Where a webhook is, as configurations and definitions of custom kinds say it. */
export interface HookAddress {
  readonly url?: string;
  readonly service?: {
    readonly name: string;
    readonly namespace: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** PEM in base64. */
  readonly caBundle?: string;
}

/** One question. */
export interface HookQuestion {
  readonly review: object;
  /** It has so long to answer. */
  readonly seconds: number;
  /** Bytes of an answer that are read; default 10 MiB. */
  readonly answerBytesMax?: number;
  readonly signal: AbortSignal | undefined;
  /** Of the request for which it is asked. */
  readonly annotate?: Annotate | undefined;
}

/** Nobody was asked, or the answer was none; the words are Go's, beginning with `Post "https://…"` where there was a call. */
export class HookCallError extends CatalogueError {
  constructor(why: string, cause?: unknown) {
    super('hook-call', why, { cause });
  }
}

/** What came back is no answer: a status, or more than anybody reads. */
class HookAnswerError extends CatalogueError {
  constructor(why: string) {
    super('hook-answer', why);
  }
}

const utf8 = new TextEncoder();

/** Asks a webhook by POST and reads the document that it answers with. Throws HookCallError. */
export async function askHook(world: HookWorld, address: HookAddress, question: HookQuestion): Promise<unknown> {
  const { http } = world;
  if (http === undefined) throw new HookCallError('this server calls nobody');
  const { seconds, signal, review, answerBytesMax = ANSWER_BYTES_MAX } = question;
  const call = { method: 'POST', url: urlOf(address, seconds) };
  const place = address.service === undefined ? undefined : endpointOf(world, address.service);
  if (place !== undefined && 'missing' in place) throw new HookCallError(`Post "${call.url}": ${place.missing}`);
  const deadline = withDeadline(world, seconds, signal);
  try {
    const reply = await http.request({
      ...call,
      headers: { ...hostOf(address), 'content-type': 'application/json', accept: 'application/json, */*' },
      body: utf8.encode(JSON.stringify(review)),
      trust: trustOf(address),
      ...(place === undefined ? {} : { dial: place }),
      signal: deadline.signal,
      onFlaw: certificateNotes(call.url, question.annotate),
    });
    return await readAnswer(reply, answerBytesMax);
  } catch (error) {
    throw new HookCallError(describe(error, { call, deadline }), error);
  } finally {
    deadline.end();
  }
}

interface Deadline {
  readonly signal: AbortSignal;
  readonly passed: boolean;
  end(): void;
}

function withDeadline(world: HookWorld, seconds: number, signal: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let passed = false;
  const give = (): void => controller.abort();
  const timer = world.clock.after(seconds * 1_000, () => {
    passed = true;
    give();
  });
  if (signal?.aborted === true) give();
  signal?.addEventListener('abort', give, { once: true });
  return {
    signal: controller.signal,
    get passed() {
      return passed;
    },
    end() {
      timer.cancel();
      signal?.removeEventListener('abort', give);
    },
  };
}

function describe(
  error: unknown,
  { call, deadline }: { readonly call: { readonly method: string; readonly url: string }; readonly deadline: Deadline },
): string {
  if (deadline.passed) return new HttpTimeoutError(call).message;
  if (error instanceof AbortedError) return `Post "${call.url}": context canceled`;
  if (error instanceof HttpConnectError || error instanceof HookAnswerError) return error.message;
  if (error instanceof DecodeError) return `couldn't get version/kind; json parse error: ${error.message}`;
  throw error;
}

/** As the configuration names it, with what the webhook is given to answer in. */
function urlOf({ service, url = '' }: HookAddress, seconds: number): string {
  if (service === undefined) {
    const asked = withCleanPath(url);
    asked.searchParams.set('timeout', `${seconds}s`);
    return asked.href;
  }
  const { name, namespace, path = '', port = 443 } = service;
  return `https://${name}.${namespace}.svc:${port}${cleanPath(path)}?timeout=${seconds}s`;
}

/** With the port also where it is HTTPS' own, as Go's clients send it. */
function hostOf({ service }: HookAddress): { readonly host?: string } {
  return service === undefined ? {} : { host: `${service.name}.${service.namespace}.svc:${service.port ?? 443}` };
}

function endpointOf(
  world: HookWorld,
  service: NonNullable<HookAddress['service']>,
): ReturnType<typeof findServiceEndpoint> {
  return findServiceEndpoint(world, { port: 443, ...service });
}

function trustOf({ caBundle, service }: HookAddress): { ca?: string; serverName?: string } {
  return {
    ...(caBundle === undefined || caBundle === '' ? {} : { ca: atob(caBundle) }),
    ...(service === undefined ? {} : { serverName: `${service.name}.${service.namespace}.svc` }),
  };
}

async function readAnswer({ status, body }: HttpReply, bytesMax: number): Promise<unknown> {
  const text = await readDocumentText(body, bytesMax).catch((error: unknown) => {
    throw error instanceof StatusError ? new HookAnswerError(`the answer is too large: ${error.message}`) : error;
  });
  if (text === undefined) throw new HookAnswerError(`the answer is longer than ${bytesMax} bytes`);
  if (status >= 200 && status < 300) return parseDocument(text);
  throw new HookAnswerError(describeStatus(status, text));
}

/** In the words of Go's client. */
function describeStatus(status: number, text: string): string {
  switch (status) {
    case 401:
      return 'the server has asked for the client to provide credentials';
    case 403:
      return 'forbidden';
    case 404:
      return 'the server could not find the requested resource';
    default: {
      const said = text.trim().slice(0, 1_024);
      if (status >= 500)
        return `an error on the server (${JSON.stringify(said || 'unknown')}) has prevented the request from succeeding`;
      return `the server responded with the status code ${status} but did not return more information`;
    }
  }
}
