/** Answers of other API servers, for callers in this process: they come as bytes, as they would over HTTP. */
import { readReplyText, replyFailure, StatusError, status } from '@binnacle/machinery';
import type { KubeObject, Status, WatchEvent, WatchSink } from '@binnacle/machinery';
import type { StreamReply } from '../catalogue/definition.ts';
import { bodyOf } from './raw-reply.ts';

/** One event of a watch is no longer: an object is no larger. */
const LINE_LENGTH_MAX = 32 << 20;

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
export async function watchPassedOn(
  reply: StreamReply,
  path: string,
  sink: Pick<WatchSink<KubeObject>, 'events'>,
): Promise<Error | undefined> {
  try {
    if (reply.code >= 400) {
      await readPassedOn(reply, path);
      return undefined;
    }
    for await (const line of linesOf(reply)) {
      const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: KubeObject };
      if (type === 'ERROR') return new StatusError(object as unknown as Status);
      sink.events([{ type, object } as WatchEvent]);
    }
    return undefined;
  } catch (error) {
    return error as Error;
  } finally {
    reply.cancel();
  }
}

async function* linesOf(reply: StreamReply): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of bodyOf(reply)) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_LENGTH_MAX) throw status.internalError('an event of a watch is too long');
    for (const line of lines) if (line.trim() !== '') yield line;
  }
}
