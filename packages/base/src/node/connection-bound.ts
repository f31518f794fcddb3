import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

type Connection = Pick<Socket, 'destroy' | 'once' | 'remoteAddress' | 'remotePort'>;

/**
 * How many connections a server has at once. Beyond its bound the oldest one goes that nobody is known on: who opens
 * connections by the thousand pushes out its own, and neither takes the process' last file descriptor nor the place of
 * those who have said who they are.
 */
export class ConnectionBound {
  readonly #max: number;
  readonly #open = new Set<Connection>();
  /** Of those, whom nobody knows yet, by where they come from; the oldest first. */
  readonly #strangers = new Map<string, Connection>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes a connection as it was accepted, before its handshake. */
  add(connection: Connection): void {
    const from = originOf(connection);
    this.#open.add(connection);
    this.#strangers.set(from, connection);
    connection.once('close', () => this.#forget(from, connection));
    if (this.#open.size <= this.#max) return;
    const [oldest = [from, connection] as const] = this.#strangers;
    this.#forget(...oldest);
    oldest[1].destroy();
  }

  /** Whoever is behind it has been authenticated: it stays. A connection within TLS counts for the one that carries it. */
  know(connection: Pick<TLSSocket, 'remoteAddress' | 'remotePort'>): void {
    this.#strangers.delete(originOf(connection));
  }

  /** Ends all of them, those too whose handshake is not over: servers know nothing of these, and wait for their end. */
  close(): void {
    for (const connection of this.#open) connection.destroy();
  }

  #forget(from: string, connection: Connection): void {
    this.#open.delete(connection);
    if (this.#strangers.get(from) === connection) this.#strangers.delete(from);
  }
}

function originOf({ remoteAddress = '', remotePort = 0 }: Pick<Connection, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`;
}
