import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A stream that says nothing for so long is over. */
const IDLE_MS_MAX = 3_600_000;

/** Passes on what either says to the other, at its pace, until both are over: what one said before it closed is heard first. */
export function join(client: Duplex, backend: Duplex): void {
  for (const [one, other] of [
    [client, backend],
    [backend, client],
  ] as const) {
    // A simulated pod's stream is no socket.
    if ('setTimeout' in one) (one as Socket).setTimeout(IDLE_MS_MAX, () => one.destroy());
    one.once('close', () => {
      if (!one.readableEnded || other.writableFinished) other.destroy();
      else other.once('finish', () => other.destroy());
    });
  }
  client.pipe(backend).pipe(client);
}
