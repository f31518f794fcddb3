import { AbortedError, CatalogueError, HttpConnectError, HttpTimeoutError, jitter, sleep } from '@binnacle/base';
import type { Clock, HttpCaller, Random } from '@binnacle/base';
import { DecodeError, parseDocument, StatusError } from '@binnacle/machinery';
import type { JsonEndpoint } from '../ports/json-endpoint.ts';
import { certificateNotes } from './certificate-notes.ts';
import type { Annotate } from './certificate-notes.ts';
import { withCleanPath } from './clean-path.ts';
import { readDocumentText } from './read-answer.ts';

/** More of an answer is not read. */
const ANSWER_BYTES_MAX = 10 << 20;
const encoder = new TextEncoder();

/** Whom to ask, and by what. */
export interface AskingWorld {
  readonly http: HttpCaller;
  readonly clock: Clock;
  readonly random: Random;
}

/** How often and how long apart it is tried: each wait half as long again as the one before. */
export interface Retries {
  /** In all. */
  readonly tries: number;
  readonly firstWaitMs: number;
  readonly timeoutMs: number;
  /** Once it is set off nothing is tried again. */
  readonly lastCall?: AbortSignal;
}

/** Nobody answered, or not what was asked. */
export class EndpointError extends CatalogueError {
  /** It may answer when it is asked again. */
  readonly passing: boolean;
  /** It took too long. */
  readonly timedOut: boolean;

  constructor(
    message: string,
    {
      passing,
      timedOut = false,
      cause,
    }: { readonly passing: boolean; readonly timedOut?: boolean; readonly cause?: unknown },
  ) {
    super('endpoint', message, { cause });
    this.passing = passing;
    this.timedOut = timedOut;
  }
}

const GROWTH = 1.5;
const SPREAD = 0.2;

/** What is asked, and how. */
export interface Asking {
  readonly body: object;
  readonly retries: Retries;
  readonly signal?: AbortSignal;
  /** Hears of each try, how long it took and how it failed (undefined: there is an answer). */
  readonly tried?: (ms: number, error: unknown) => void;
  /** Of the request for which it is asked. */
  readonly annotate?: Annotate;
}

/** Sends JSON and reads the answer; again while that may help. Throws EndpointError, or AbortedError for the signal. */
export async function askEndpoint(
  world: AskingWorld,
  endpoint: JsonEndpoint,
  { body, retries, signal, tried: hear, annotate }: Asking,
): Promise<unknown> {
  const bytes = encoder.encode(JSON.stringify(body));
  let waitMs = retries.firstWaitMs;
  for (let tried = 1; ; tried++) {
    const since = world.clock.monotonic();
    try {
      const answer = await askOnce(world.http, endpoint, {
        bytes,
        timeoutMs: retries.timeoutMs,
        signal,
        annotate,
      });
      hear?.(world.clock.monotonic() - since, undefined);
      return answer;
    } catch (error) {
      hear?.(world.clock.monotonic() - since, error);
      if (tried >= retries.tries || !(error instanceof EndpointError) || !error.passing) throw error;
      if (!(await waited(world, jitter(world.random, waitMs, SPREAD), [signal, retries.lastCall]))) throw error;
    }
    waitMs *= GROWTH;
  }
}

/** Whether the time passed without anybody putting an end to it. */
async function waited(
  { clock }: AskingWorld,
  ms: number,
  signals: readonly (AbortSignal | undefined)[],
): Promise<boolean> {
  const ends = AbortSignal.any(signals.filter((signal) => signal !== undefined));
  const slept = sleep(clock, ms, ends).then(() => true);
  // Nothing is lost: the only reason is the signal's.
  return slept.catch(() => false);
}

interface OneAsking {
  readonly bytes: Uint8Array;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly annotate: Annotate | undefined;
}

async function askOnce(
  http: HttpCaller,
  { url, trust, token }: JsonEndpoint,
  { bytes, timeoutMs, signal, annotate }: OneAsking,
): Promise<unknown> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, */*' };
  try {
    const reply = await http.request({
      method: 'POST',
      url: withCleanPath(url).href,
      headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` },
      body: bytes,
      timeoutMs,
      onFlaw: certificateNotes(url, annotate),
      ...(trust === undefined ? {} : { trust }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await readBounded(reply.body);
    if (reply.status >= 200 && reply.status < 300) return text === '' ? undefined : parseDocument(text);
    const passing = reply.status >= 500 || reply.status === 429;
    throw new EndpointError(`Post "${url}": status ${reply.status}`, { passing, timedOut: reply.status === 504 });
  } catch (error) {
    if (error instanceof EndpointError || error instanceof AbortedError) throw error;
    if (error instanceof HttpConnectError || error instanceof HttpTimeoutError) {
      const timedOut = error instanceof HttpTimeoutError;
      throw new EndpointError(error.message, { passing: true, timedOut, cause: error });
    }
    if (error instanceof DecodeError) {
      throw new EndpointError(`Post "${url}": ${error.message}`, { passing: false, cause: error });
    }
    throw error;
  }
}

/** The text of a document of bounded length and bounded number of values. Throws EndpointError for more. */
export async function readBounded(body: AsyncIterable<Uint8Array>, bytesMax = ANSWER_BYTES_MAX): Promise<string> {
  const text = await readDocumentText(body, bytesMax).catch((error: unknown) => {
    if (!(error instanceof StatusError)) throw error;
    throw new EndpointError(`an answer that is too large: ${error.message}`, { passing: false, cause: error });
  });
  if (text === undefined) throw new EndpointError(`an answer of more than ${bytesMax} bytes`, { passing: false });
  return text;
}
