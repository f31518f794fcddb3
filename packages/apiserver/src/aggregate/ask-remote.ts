import { HttpConnectError, HttpTimeoutError, messageOf } from '@binnacle/base';
import type { Clock, HttpCaller, HttpReply } from '@binnacle/base';
import { readDocumentText } from '../outbound/read-answer.ts';
import { findServiceEndpoint } from '../outbound/service-endpoint.ts';
import type { EndpointWorld } from '../outbound/service-endpoint.ts';
import { Remote } from './remote.ts';
import { RemoteError } from './remote-error.ts';
import { remoteUserHeaders } from './remote-user.ts';

export interface AskWorld extends EndpointWorld {
  readonly clock: Pick<Clock, 'after'>;
  /** Absent: nobody can be asked. */
  readonly http: HttpCaller | undefined;
}

/** This server, when it asks for itself: whoever answers has to let it see everything. */
const AGGREGATOR = { name: 'system:kube-aggregator', groups: ['system:masters'] };
const ANSWER_MS_MAX = 5_000;

/** What another API server says of itself. */
export interface RemoteAnswer {
  readonly text: string;
  readonly etag: string;
}

/** A document that is asked for, and how large it may be. */
export interface RemoteQuestion {
  readonly path: string;
  readonly accept: string;
  readonly bytesMax: number;
  /** Of its JSON; absent: as many as a document of a client's. */
  readonly valuesMax?: number;
}

/** GETs a document. Throws RemoteError in upstream's words: no answer in time, another code than 200, too large. */
export async function askRemote(world: AskWorld, remote: Remote, question: RemoteQuestion): Promise<RemoteAnswer> {
  const { http } = world;
  const { path, accept } = question;
  if (http === undefined) throw new RemoteError('this server calls nobody');
  const place = findServiceEndpoint(world, remote.address);
  if ('missing' in place) throw new RemoteError(place.missing);
  const url = `${Remote.originOf(place)}${path}`;
  const given = new AbortController();
  const deadline = world.clock.after(ANSWER_MS_MAX, () => given.abort(), { background: true });
  try {
    const headers = { accept, ...remoteUserHeaders(AGGREGATOR) };
    const reply = await http.request({ method: 'GET', url, headers, trust: remote.trust, signal: given.signal });
    if (reply.status !== 200) {
      await leave(reply);
      throw new RemoteError(`bad status from ${url}: ${reply.status}`);
    }
    return { text: await textOf(reply, question), etag: String(reply.headers['etag'] ?? '') };
  } catch (error) {
    const why = given.signal.aborted ? new HttpTimeoutError({ method: 'GET', url }).message : wordsOf(error);
    throw new RemoteError(`failing or missing response from ${url}: ${why}`, error);
  } finally {
    deadline.cancel();
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof HttpConnectError || error instanceof RemoteError) return error.message;
  return messageOf(error);
}

/** Drops the connection of an answer that nobody wants. */
async function leave({ body }: HttpReply): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}

async function textOf({ body }: HttpReply, { bytesMax, valuesMax }: RemoteQuestion): Promise<string> {
  const text = await readDocumentText(body, bytesMax, valuesMax);
  if (text === undefined) throw new RemoteError(`the answer is longer than ${bytesMax} bytes`);
  return text;
}
