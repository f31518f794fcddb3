import { once } from 'node:events';
import type { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { ListenOptions } from 'node:net';
import type { Scope } from '../scope.ts';

/** What is asked of a server of HTTP, with TLS or without. */
type Listening = Pick<Server, 'listen' | 'close' | 'closeAllConnections'> & EventEmitter;

/**
 * Has a server listen until the scope ends; whoever is connected is cut off then, and `cutOff` ends what the server does not know of
 * (upgraded connections, bounds). Rejects with what listening says.
 */
export async function listenWithin(
  scope: Scope,
  server: Listening,
  { cutOff, ...at }: ListenOptions & { readonly cutOff?: () => void },
): Promise<void> {
  const listening = once(server, 'listening');
  server.listen(at);
  await listening;
  // Who cannot be let in, for want of file descriptors say, is one caller; the others are answered.
  server.on('error', ignore);
  scope.defer(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        cutOff?.();
      }),
  );
}

function ignore(): void {}
