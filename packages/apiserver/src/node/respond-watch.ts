import type { ReplyWorld } from '../pipeline/reply-world.ts';
import { encodingOf } from '../encode/encodings.ts';
import { createFrameEncoder, errorFrame } from '../encode/watch-frame.ts';
import { renderingOf } from '../pipeline/call-of.ts';
import type { Answer } from '../pipeline/pipeline.ts';
import type { Reply } from '../catalogue/definition.ts';
import { headersOf } from './reply-headers.ts';
import type { ReplyWriter } from './reply-writer.ts';

/** Opens the stream of a watch: one write per turn of the loop, and none while the client does not take them. */
export function respondWatch(
  { clock, figures }: ReplyWorld,
  { exchange, settle }: Answer,
  { reply, writer }: { reply: Extract<Reply, { kind: 'watch' }>; writer: ReplyWriter },
): void {
  const rendering = renderingOf(exchange);
  const includeObject = exchange.request.query.get('includeObject');
  const encoder = createFrameEncoder(reply.served, { rendering, includeObject, clock });
  writer.head(200, headersOf(exchange, reply, encodingOf(rendering).streamType));
  writer.flush();
  const meter = figures.watchMeter(exchange.info);
  let ready = true;
  const open = reply.source.open({
    get ready() {
      return ready;
    },
    immediate: false,
    items(batch) {
      const frames = batch.map((item) => encoder.frame(item));
      const [only] = frames;
      if (writer.gone) return;
      for (const frame of frames) meter.sent(frame.length);
      ready = writer.sink.write(frames.length === 1 && only !== undefined ? only : Buffer.concat(frames));
      // A seat is for what the server does, not for what the client has yet to read.
      if (!ready) settle();
    },
    initialised: settle,
    end(error) {
      settle();
      if (writer.gone) return;
      if (error === undefined) writer.sink.end();
      else writer.sink.end(errorFrame(rendering, error));
    },
  });
  writer.sink.on('drain', () => {
    ready = true;
    open.resume();
  });
  const leave = (): void => {
    settle();
    open.stop();
  };
  writer.onGone(leave);
  // Who left before the watch was open is not told of any more.
  if (writer.gone) leave();
}
