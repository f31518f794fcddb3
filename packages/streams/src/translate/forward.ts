import { joinDuplex } from '@binnacle/base';
import type { Duplex } from '@binnacle/base';
import { openForwarded } from '../forward/spdy-forward.ts';
import { serveForwardOverWebSocket } from '../forward/websocket-forward.ts';
import { tunnelOver } from '../messages.ts';
import type { Messages } from '../messages.ts';
import { spdyClientOver } from './dial.ts';
import type { TranslationGround } from './dial.ts';

/** How long a server of SPDY has to end its half when its client has gone. */
const LEFT_MS = 10_000;

/** SPDY of a client, in the messages of its WebSocket, on a connection to a server of SPDY. Never rejects. */
export async function tunnelForward(
  messages: Messages,
  carrier: Duplex,
  { clock }: Pick<TranslationGround, 'clock'>,
): Promise<void> {
  // Never rejects: `closed` does not.
  const ending = messages.closed.then(() => clock.after(LEFT_MS, () => carrier.abort()));
  await joinDuplex(tunnelOver(messages), carrier);
  (await ending).cancel();
}

/** Port-forward over the channels of a WebSocket, at a server of SPDY. Ends with either, and both with it. Never rejects. */
export async function translateForward(
  messages: Messages,
  ports: readonly number[],
  { carrier, ...ground }: TranslationGround & { readonly carrier: Duplex },
): Promise<void> {
  const connection = spdyClientOver(carrier, ground);
  let requests = 0;
  const target = {
    connect: (port: number) => openForwarded(connection, port, String(requests++)),
    // In the words of the server, which has them from where the port is.
    describe: (_port: number, error: Error) => error.message,
  };
  try {
    await serveForwardOverWebSocket({ messages, clock: ground.clock }, ports, target);
  } catch (error) {
    messages.abort(error as Error);
  }
  await connection.close();
}
