import type { ReplyWorld } from '../pipeline/reply-world.ts';
import type { Answer } from '../pipeline/pipeline.ts';
import type { StreamReply } from '../catalogue/definition.ts';
import { headersOf } from './reply-headers.ts';
import { drained } from './reply-writer.ts';
import type { ReplyWriter } from './reply-writer.ts';

/**
 * Passes a stream on piece by piece, at the client's pace. A source that breaks off breaks the reply off too: the
 * client must not take half a log for a whole one.
 */
export async function respondStream(
  { log, figures }: ReplyWorld,
  { exchange }: Answer,
  { reply, writer }: { reply: StreamReply; writer: ReplyWriter },
): Promise<void> {
  writer.onGone(() => reply.cancel());
  if (writer.gone) return reply.cancel();
  writer.head(reply.code, headersOf(exchange, reply, reply.contentType));
  if (exchange.request.method === 'HEAD' && reply.isEmpty !== true) {
    reply.cancel();
    writer.sink.end();
    return;
  }
  writer.flush();
  try {
    for await (const piece of reply.body) {
      if (writer.gone) break;
      if (!writer.sink.write(piece)) await drained(writer.sink);
    }
    if (!writer.gone) writer.sink.end();
  } catch (error) {
    if (writer.gone) return;
    log.warn('a stream broke off', { path: exchange.info.path, reason: String(error) });
    figures.aborted(exchange.info);
    writer.sink.destroy();
  } finally {
    reply.cancel();
  }
}
