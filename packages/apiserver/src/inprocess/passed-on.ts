/** Answers of other API servers, for callers in this process: they come as bytes, as they would over HTTP. */
import { readReplyText, replyFailure, StatusError, status } from '@binnacle/machinery';
import type { KubeObject, Status, WatchEvent, WatchSink } from '@binnacle/machinery';
import type { StreamReply } from '../catalogue/definition.ts';
import { bodyOf } from './raw-reply.ts';

/** One event of a watch is no longer (upstream's bound). */
const LINE_LENGTH_MAX = 16 << 20;

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
    for await (const line of linesOf(reply)) {
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

/** A line is put together once, from however many pieces it comes in. */
async function* linesOf(reply: StreamReply): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  for await (const piece of bodyOf(reply)) {
    const text = decoder.decode(piece, { stream: true });
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      const line = [...parts, text.slice(from, end)].join('');
      from = end + 1;
      parts = [];
      length = 0;
      if (line.trim() !== '') yield line;
    }
    if (from === text.length) continue;
    parts.push(text.slice(from));
    length += text.length - from;
    if (length > LINE_LENGTH_MAX) throw status.internalError('an event of a watch is too long');
  }
}
