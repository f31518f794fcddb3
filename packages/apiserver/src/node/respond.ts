import { messageOf, takesGzip } from '@binnacle/base';
import { StatusError } from '@binnacle/machinery';
import type { ReplyWorld } from '../pipeline/reply-world.ts';
import { encodeBody } from '../encode/body.ts';
import type { EncodedBody } from '../encode/body.ts';
import type { Exchange } from '../request/exchange.ts';
import { failureReply } from '../pipeline/pipeline.ts';
import { codeOf } from '../pipeline/record-request.ts';
import type { Answer } from '../pipeline/pipeline.ts';
import { renderingOf } from '../pipeline/call-of.ts';
import type { ListReply, StreamReply, WholeReply } from '../catalogue/definition.ts';
import { PLAIN } from '../request/media.ts';
import type { Rendering } from '../request/media.ts';
import { headersOf } from './reply-headers.ts';
import { messageProtocol, respondMessages, wantsMessages } from './respond-messages.ts';
import { respondUpgrade, UpgradeWriter } from './respond-upgrade.ts';
import { respondStream } from './respond-stream.ts';
import { respondWatch } from './respond-watch.ts';
import { respondWatchMessages, watchProtocol } from './respond-watch-messages.ts';
import type { WatchReply } from './respond-watch-messages.ts';
import { sendBuffer } from './send-buffer.ts';
import { sendList, sendWhole } from './send-body.ts';
import type { ReplyWriter } from './reply-writer.ts';

const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** Sends the answer to one request; at once where nothing has to be waited for. Never throws. */
export function respond(world: ReplyWorld, answer: Answer, writer: ReplyWriter): void {
  const failed = (error: unknown): void => {
    answer.settle();
    world.log.error(error, 'a reply failed', { path: answer.exchange.info.path, reason: messageOf(error) });
    if (writer.gone) return;
    world.figures.aborted(answer.exchange.info);
    writer.sink.destroy();
  };
  try {
    const sending = send(world, answer, writer);
    if (sending !== undefined) sending.catch(failed);
  } catch (error) {
    failed(error);
  }
}

function send(world: ReplyWorld, answer: Answer, writer: ReplyWriter): void | Promise<void> {
  const { reply } = answer;
  if (reply.kind === 'watch') return sendWatch(world, answer, { reply, writer });
  if (reply.kind === 'upgrade') return respondUpgrade(reply, writer);
  if (reply.kind === 'stream') return sendStream(world, answer, { reply, writer });
  return sendBody(world, answer, { reply, writer });
}

function sendWatch(
  world: ReplyWorld,
  answer: Answer,
  { reply, writer }: { reply: WatchReply; writer: ReplyWriter },
): Promise<void> | void {
  if (!(writer instanceof UpgradeWriter) || answer.exchange.request.header('upgrade').toLowerCase() !== 'websocket')
    return respondWatch(world, answer, { reply, writer });
  let protocol: string;
  try {
    protocol = watchProtocol(answer);
  } catch (error) {
    answer.settle();
    return sendBody(world, answer, { reply: failureReply(world.log, answer.exchange, error), writer });
  }
  return respondWatchMessages(world, answer, { reply, writer, protocol });
}

function sendStream(
  world: ReplyWorld,
  answer: Answer,
  { reply, writer }: { reply: StreamReply; writer: ReplyWriter },
): Promise<void> | void {
  if (!(writer instanceof UpgradeWriter) || !wantsMessages(answer, reply)) {
    return respondStream(world, answer, { reply, writer });
  }
  let protocol: string;
  try {
    protocol = messageProtocol(answer);
  } catch (error) {
    reply.cancel();
    return sendBody(world, answer, { reply: failureReply(world.log, answer.exchange, error), writer });
  }
  return respondMessages(world, answer, { reply, writer, protocol });
}

interface Body {
  readonly reply: WholeReply;
  readonly writer: ReplyWriter;
}

/** What is refused before its first byte (too much waits to be read, a converter that gives up) is told instead. */
function sendBody(world: ReplyWorld, { exchange }: Answer, to: Body): void | Promise<void> {
  const refused = (error: unknown): void | Promise<void> => {
    if (!(error instanceof StatusError)) throw error;
    return sendReply(world, exchange, { ...to, reply: failureReply(world.log, exchange, error) });
  };
  try {
    return sendReply(world, exchange, to)?.catch(refused);
  } catch (error) {
    return refused(error);
  }
}

function sendReply(world: ReplyWorld, exchange: Exchange, to: Body): void | Promise<void> {
  const { reply } = to;
  const { request } = exchange;
  const options = {
    rendering: formOf(world, exchange, reply),
    includeObject: request.query.get('includeObject'),
    now: world.clock.now(),
    allocate: sendBuffer,
    yaml: request.yaml,
  };
  if (reply.kind === 'list') world.unsent.check(exchange.user.name, expectedBytes(reply, options.rendering));
  const body = encodeBody(reply, options);
  if (body instanceof Promise) return body.then((made) => sendEncoded(world, exchange, { ...to, body: made }));
  return sendEncoded(world, exchange, { ...to, body });
}

function sendEncoded(
  { unsent }: ReplyWorld,
  exchange: Exchange,
  { reply, writer, body }: Body & { readonly body: EncodedBody },
): void | Promise<void> {
  const { request } = exchange;
  const headers = headersOf(exchange, reply, body.contentType);
  if (request.method === 'HEAD' || BODILESS.has(codeOf(reply))) {
    writer.head(codeOf(reply), headers);
    writer.sink.end();
    return;
  }
  const zip = takesGzip(request.header('accept-encoding'));
  const hold = (bytes: number): void => writer.onGone(unsent.hold(exchange.user.name, bytes));
  const outgoing = { code: codeOf(reply), headers, body, zip, hold, sizes: exchange.sizes };
  return body.length === undefined ? sendList(writer, outgoing) : sendWhole(writer, outgoing);
}

/** What a list that goes out piece by piece has in memory at once, at most. */
const STREAMED_BYTES_MAX = 1 << 20;

/** How large a list is going to be, by what is stored: nothing is made for who may not have it. */
function expectedBytes({ items }: ListReply, { format, as, pretty }: Rendering): number {
  let bytes = 0;
  for (const { value } of items) bytes += value.length;
  const isStreamed = format !== 'yaml' && as === 'object' && !pretty;
  return isStreamed ? Math.min(bytes, STREAMED_BYTES_MAX) : bytes;
}

/** The form asked for; what cannot be negotiated was refused already, and the refusal itself goes as JSON. */
function formOf(world: ReplyWorld, exchange: Exchange, reply: WholeReply): Rendering {
  if (reply.kind === 'text') return PLAIN;
  try {
    return renderingOf(exchange);
  } catch (error) {
    world.log.info(4, 'answering JSON', { reason: messageOf(error) });
    return PLAIN;
  }
}
