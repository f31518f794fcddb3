import { encodeBase64 } from '@binnacle/streams';
import type { Messages } from '@binnacle/streams';
import type { StreamReply } from '../catalogue/definition.ts';
import type { Answer } from '../pipeline/pipeline.ts';
import type { ReplyWorld } from '../pipeline/reply-world.ts';
import { webSocketProtocol } from '../request/web-socket-protocol.ts';
import type { UpgradeWriter } from './respond-upgrade.ts';

/** Bytes in messages of bytes, or of base64 text. No protocol at all means bytes. */
const PROTOCOLS: readonly string[] = ['binary.k8s.io', 'base64.binary.k8s.io'];
/** Of one message, before it is base64. */
const MESSAGE_BYTES_MAX = 64 * 1024;
const NOTHING = new Uint8Array(0);

/** Whether a stream is told in messages: the client asks for a WebSocket, and the stream may. */
export function wantsMessages({ exchange }: Answer, reply: StreamReply): boolean {
  return reply.inMessages === true && exchange.request.header('upgrade').toLowerCase() === 'websocket';
}

/** The protocol of a client's that is spoken here; empty: it names none. Throws 403 where it names only others. */
export function messageProtocol({ exchange }: Answer): string {
  return webSocketProtocol(exchange.request.header('sec-websocket-protocol'), PROTOCOLS);
}

/**
 * Tells a stream in the messages of a WebSocket, at the client's pace. What the client says is passed over; when it
 * leaves, the source ends.
 */
export async function respondMessages(
  { log }: ReplyWorld,
  { exchange }: Answer,
  { reply, writer, protocol }: { reply: StreamReply; writer: UpgradeWriter; protocol: string },
): Promise<void> {
  const messages = await writer.accept(protocol);
  if (messages === undefined) return reply.cancel();
  // Never rejects: what breaks it ends it too.
  void passOver(messages).then(() => reply.cancel());
  try {
    // Tells the client that the stream stands, before there is anything to tell (as upstream does).
    await messages.write(NOTHING);
    for await (const piece of reply.body) {
      for (let at = 0; at < piece.length; at += MESSAGE_BYTES_MAX) {
        await writePiece(messages, piece.subarray(at, at + MESSAGE_BYTES_MAX), protocol);
      }
    }
    await messages.close();
  } catch (error) {
    log.info(4, 'a stream of messages broke off', { path: exchange.info.path, reason: String(error) });
    messages.abort(error as Error);
  } finally {
    reply.cancel();
  }
}

function writePiece(messages: Messages, piece: Uint8Array, protocol: string): Promise<void> {
  if (protocol !== 'base64.binary.k8s.io') return messages.write(piece);
  return messages.write(new TextEncoder().encode(encodeBase64(piece)), { text: true });
}

/** Reads until the client says goodbye, or is gone. Never rejects. */
export async function passOver(messages: Messages): Promise<void> {
  try {
    while ((await messages.read()) !== undefined);
  } catch (error) {
    messages.abort(error as Error);
  }
}
