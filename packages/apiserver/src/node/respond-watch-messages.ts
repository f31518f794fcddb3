import { namesIn } from '@binnacle/streams';
import { status } from '@binnacle/machinery';
import type { Reply } from '../catalogue/definition.ts';
import { encodingOf } from '../encode/encodings.ts';
import { createFrameEncoder, errorFrame } from '../encode/watch-frame.ts';
import { renderingOf } from '../pipeline/call-of.ts';
import type { Answer } from '../pipeline/pipeline.ts';
import type { ReplyWorld } from '../pipeline/reply-world.ts';
import { passOver } from './respond-messages.ts';
import type { UpgradeWriter } from './respond-upgrade.ts';

/** What a watch answers. */
export type WatchReply = Extract<Reply, { kind: 'watch' }>;

/** The one protocol that the client offers is spoken, whatever it is called, as upstream does. Throws 400 for several. */
export function watchProtocol({ exchange }: Answer): string {
  const wished = namesIn(exchange.request.header('sec-websocket-protocol'));
  if (wished.length > 1) throw status.badRequest('bad websocket protocol: a watch takes one at the most');
  return wished[0] ?? '';
}

/** Tells the events of a watch in the messages of a WebSocket: JSON as text, protobuf as bytes without a length before it. */
export async function respondWatchMessages(
  { clock, log, figures }: ReplyWorld,
  { exchange, settle }: Answer,
  { reply, writer, protocol }: { reply: WatchReply; writer: UpgradeWriter; protocol: string },
): Promise<void> {
  const messages = await writer.accept(protocol);
  if (messages === undefined) return settle();
  const rendering = renderingOf(exchange);
  const encoding = encodingOf(rendering);
  const includeObject = exchange.request.query.get('includeObject');
  const encoder = createFrameEncoder(reply.served, { rendering, includeObject, clock });
  const meter = figures.watchMeter(exchange.info);
  const tell = (frame: Uint8Array): Promise<void> => {
    meter.sent(frame.length);
    return messages.write(frame.subarray(encoding.frameHeadBytes), { text: encoding.isText });
  };
  let ready = true;
  const broke = (error: unknown): void => {
    log.info(4, 'a watch in messages broke off', { path: exchange.info.path, reason: String(error) });
    messages.abort(error as Error);
  };
  const open = reply.source.open({
    get ready() {
      return ready;
    },
    immediate: false,
    items(batch) {
      // What is told takes its time: a seat is for what the server does, not for what the client has yet to read.
      ready = false;
      settle();
      Promise.all(batch.map((item) => tell(encoder.frame(item)))).then(() => {
        ready = true;
        open.resume();
      }, broke);
    },
    initialised: settle,
    end(error) {
      settle();
      const last = error === undefined ? Promise.resolve() : tell(errorFrame(rendering, error));
      last.then(() => messages.close()).catch(broke);
    },
  });
  // Never rejects: what breaks the connection ends it too.
  await passOver(messages);
  settle();
  open.stop();
  await messages.close();
}
