/** Answers of other API servers, for callers in this process: they come as bytes, as they would over HTTP. */
import { linesOf } from '@binnacle/base';
import { readReplyText, replyFailure, StatusError, status } from '@binnacle/machinery';
import type { KubeObject, Status, WatchEvent, WatchSink } from '@binnacle/machinery';
import type { StreamReply } from '../catalogue/definition.ts';
import { bodyOf } from './raw-reply.ts';

/** One event of a watch is no longer (upstream's bound). */
const LINES = { bytesMax: 16 << 20, tooLong: () => status.internalError('an event of a watch is too long') };

/** Whom events are told, and what is waited for before each; undefined: nothing. */
export interface EventTaker extends Pick<WatchSink<KubeObject>, 'events'> {
  readonly turn: () => Promise<void> | undefined;
}

/** The object of an answer. Throws StatusError for a refusal, and for what is no object. */
export async function readPassedOn(reply: StreamReply, path: string): Promise<unknown> {
  const text = await readReplyText({ body: bodyOf(reply) });
  if (reply.code >= 400) throw replyFailure({ status: reply.code, text }, path);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw status.internalError(`${path}: the server answers with no JSON`);
  }
}

/** Tells the events of a watch until it ends: with an error, or undefined. Never rejects. */
export async function watchPassedOn(reply: StreamReply, path: string, taker: EventTaker): Promise<Error | undefined> {
  try {
    if (reply.code >= 400) {
      await readPassedOn(reply, path);
      return undefined;
    }
    for await (const line of linesOf(bodyOf(reply), LINES)) {
      // The other server says how many there are and how fast they come: each waits like a question of our own.
      const waiting = taker.turn();
      if (waiting !== undefined) await waiting;
      const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: KubeObject };
      if (type === 'ERROR') return new StatusError(object as unknown as Status);
      taker.events([{ type, object } as WatchEvent]);
    }
    return undefined;
  } catch (error) {
    return error as Error;
  } finally {
    reply.cancel();
  }
}
