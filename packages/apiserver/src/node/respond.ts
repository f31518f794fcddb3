import { messageOf } from '@binnacle/base';
import type { ReplyWorld } from '../pipeline/reply-world.ts';
import { encodeBody } from '../encode/body.ts';
import type { EncodedBody } from '../encode/body.ts';
import type { Exchange } from '../request/exchange.ts';
import { codeOf, failureReply } from '../pipeline/pipeline.ts';
import type { Answer } from '../pipeline/pipeline.ts';
import { renderingOf } from '../pipeline/call-of.ts';
import type { StreamReply, WholeReply } from '../catalogue/definition.ts';
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
    if (!writer.gone) writer.sink.destroy();
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

function sendBody(
  world: ReplyWorld,
  { exchange }: Answer,
  to: { reply: WholeReply; writer: ReplyWriter },
): void | Promise<void> {
  const { reply } = to;
  const { request } = exchange;
  const options = {
    rendering: formOf(world, exchange, reply),
    includeObject: request.query.get('includeObject'),
    now: world.clock.now(),
    allocate: sendBuffer,
    yaml: request.yaml,
  };
  const body = encodeBody(reply, options);
  if (body instanceof Promise) return body.then((made) => sendEncoded(exchange, made, to));
  return sendEncoded(exchange, body, to);
}

function sendEncoded(
  exchange: Exchange,
  body: EncodedBody,
  { reply, writer }: { reply: WholeReply; writer: ReplyWriter },
): void | Promise<void> {
  const { request } = exchange;
  const headers = headersOf(exchange, reply, body.contentType);
  if (request.method === 'HEAD' || BODILESS.has(codeOf(reply))) {
    writer.head(codeOf(reply), headers);
    writer.sink.end();
    return;
  }
  const zip = request.header('accept-encoding').includes('gzip');
  if (body.length !== undefined) return sendWhole(writer, { code: codeOf(reply), headers, body, zip });
  return sendList(writer, { code: codeOf(reply), headers, body, zip });
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
