import type { IncomingMessage } from 'node:http';
import { createDuplexPair } from '@binnacle/base';
import { nodeStreamOf } from '@binnacle/base/node';
import type { Messages } from '../messages.ts';
import { readUpgradeHead } from './upgrade-head.ts';
import type { UpgradeHead } from './upgrade-head.ts';
import { acceptWebSocket } from './websocket.ts';

/** A WebSocket that is answered in this process: its client's end in bytes, this side's in messages. */
export interface LocalWebSocket extends UpgradeHead {
  /** Undefined when the handshake was none: `status` and `stream` say why. */
  readonly messages: Messages | undefined;
}

/** A handshake as it was sent; names of headers in lower case. */
export interface Handshake {
  readonly method: string;
  readonly headers: { readonly [name: string]: string };
}

/**
 * Answers a client's handshake without the client's connection: whoever has that joins it to `stream`. `protocol` as
 * `acceptWebSocket` takes it.
 */
export async function acceptLocalWebSocket({ method, headers }: Handshake, protocol: string): Promise<LocalWebSocket> {
  const [near, far] = createDuplexPair();
  const socket = nodeStreamOf(far);
  // Whoever reads or writes hears of it.
  socket.on('error', () => undefined);
  const request = { method, url: '/', headers: { connection: 'upgrade', ...headers } };
  const accepting = acceptWebSocket(
    request as Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
    { socket, head: new Uint8Array(0) },
    protocol,
  );
  const [head, messages] = await Promise.all([readUpgradeHead(near), accepting]);
  return { ...head, messages };
}
