import { status } from '@binnacle/machinery';
import type { RawReply } from '@binnacle/machinery';
import type { StreamReply } from '../catalogue/definition.ts';
import { encodeBody } from '../encode/body.ts';
import { codeOf } from '../pipeline/record-request.ts';
import type { Answer } from '../pipeline/pipeline.ts';
import { negotiate, PLAIN } from '../request/media.ts';

/** A reply as bytes, for a caller in the process who asked for a path. Throws for a watch, which has its own call. */
export async function rawReply({ exchange, reply }: Answer, now: number): Promise<RawReply> {
  const { request } = exchange;
  if (reply.kind === 'watch') throw status.badRequest('a watch is asked for by watch()');
  if (reply.kind === 'upgrade') {
    reply.stream.abort();
    throw status.badRequest('another protocol is asked for by open()');
  }
  if (reply.kind === 'stream') {
    const headers = { ...reply.headers, 'content-type': reply.contentType };
    return { status: reply.code, headers, body: bodyOf(reply, request.signal) };
  }
  const accept = request.header('accept');
  const rendering = reply.kind === 'text' || codeOf(reply) >= 400 ? PLAIN : negotiate(accept, false);
  const includeObject = request.query.get('includeObject');
  const { contentType, pieces } = await encodeBody(reply, { rendering, includeObject, now });
  const more = reply.kind === 'text' ? reply.headers : undefined;
  return { status: codeOf(reply), headers: { 'content-type': contentType, ...more }, body: eachOf(pieces) };
}

async function* eachOf(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** Its source ends with its reader, also with one who leaves before the first piece or in the middle of one. */
export function bodyOf(reply: StreamReply, signal?: AbortSignal): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const pieces = reply.body[Symbol.asyncIterator]();
      const leave = (): void => reply.cancel();
      if (signal?.aborted === true) leave();
      signal?.addEventListener('abort', leave, { once: true });
      return {
        async next() {
          const piece = await pieces.next();
          if (piece.done === true) signal?.removeEventListener('abort', leave);
          return piece;
        },
        async return() {
          signal?.removeEventListener('abort', leave);
          reply.cancel();
          await pieces.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
