import type { Clock, Timer } from '@binnacle/base';

/** A client as often as upstream's. */
const PING_MS = { client: 5000, server: 10_000 } as const;
const IDS_END = 0x1_0000_0000;

interface PingOptions {
  readonly role: keyof typeof PING_MS;
  readonly clock: Clock;
  /** Resolves when the question has gone out. */
  readonly send: (id: number) => Promise<void>;
  /** Told once when it could not go out. */
  readonly failed: (error: Error) => void;
}

/**
 * Asks now and then whether anybody is there, until it is stopped. While the other side does not read (a stream stands still)
 * nothing else tells that it has gone, and what lies in between cuts off connections on which nothing passes.
 */
export class Pings {
  readonly #options: PingOptions;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: PingOptions) {
    this.#options = options;
    // As numbers of streams are: odd of clients, even of servers.
    this.#later(options.role === 'client' ? 1 : 2);
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #later(id: number): void {
    if (this.#isStopped) return;
    const { clock, role } = this.#options;
    this.#timer = clock.after(PING_MS[role], () => this.#ask(id), { background: true });
  }

  #ask(id: number): void {
    // One at a time: it waits behind what a slow client has not read yet.
    this.#options.send(id).then(
      () => this.#later((id + 2) % IDS_END),
      (error: unknown) => this.#options.failed(error as Error),
    );
  }
}
