/** How many there may be at once: in all, and of one client. */
export interface ClientBounds {
  readonly max: number;
  readonly perClientMax: number;
}

/** How many of something there are, in all and of each client; none beyond the bounds. */
export class ClientCount {
  readonly #bounds: ClientBounds;
  readonly #byClient = new Map<string, number>();
  #all = 0;

  constructor(bounds: ClientBounds) {
    this.#bounds = bounds;
  }

  /** Counts one in; false: there is no room for it. */
  enter(client: string): boolean {
    const has = this.#byClient.get(client) ?? 0;
    if (this.#all >= this.#bounds.max || has >= this.#bounds.perClientMax) return false;
    this.#byClient.set(client, has + 1);
    this.#all++;
    return true;
  }

  /** One that was counted in is over. */
  leave(client: string): void {
    const left = (this.#byClient.get(client) ?? 1) - 1;
    if (left === 0) this.#byClient.delete(client);
    else this.#byClient.set(client, left);
    this.#all--;
  }
}

/** As whom a user counts: who makes service accounts makes any number of them, but in one namespace: those count as one. */
export function clientOfUser(user: string): string {
  return user.startsWith('system:serviceaccount:') ? user.slice(0, user.lastIndexOf(':')) : user;
}
