/** Connections that are open, of whom, and which asked last; no more than there are places. */
export class ConnectionPlaces<Connection> {
  readonly #max: number;
  /** With their clients; those that asked last come last. */
  readonly #open = new Map<Connection, string>();

  constructor(max: number) {
    this.#max = max;
  }

  get open(): Iterable<Connection> {
    return this.#open.keys();
  }

  /**
   * Takes one in. Where there is no place left, answers with the one that has lost its own: the quietest of the client
   * that has most, so that nobody's place is taken by another one's many.
   */
  enter(connection: Connection, client: string): Connection | undefined {
    this.#open.set(connection, client);
    if (this.#open.size <= this.#max) return undefined;
    const counts = new Map<string, number>();
    for (const one of this.#open.values()) counts.set(one, (counts.get(one) ?? 0) + 1);
    const most = Math.max(...counts.values());
    const [goes] = [...this.#open].find(([, one]) => counts.get(one) === most) ?? [connection];
    this.#open.delete(goes);
    return goes;
  }

  /** It asked something; nothing where it has lost its place. */
  asked(connection: Connection): void {
    const client = this.#open.get(connection);
    if (client === undefined) return;
    this.#open.delete(connection);
    this.#open.set(connection, client);
  }

  leave(connection: Connection): void {
    this.#open.delete(connection);
  }
}
