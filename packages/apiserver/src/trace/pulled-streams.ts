import { ClientCount, clientOfUser } from '@binnacle/base';
import type { Clock, Timer } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { AnyCall, Reply, StreamReply } from '../catalogue/definition.ts';

const encoder = new TextEncoder();
/** In all, and of one user: nobody takes the places of all others. */
const STREAMS_MAX = { max: 512, perClientMax: 32 };
/** A stream that names no time, or none at all, ends after an hour. */
const TIMEOUT_S = 3_600;

/** The next lines of a stream, in pieces that are made as the reader takes them; none: nothing is new. */
export interface Told {
  readonly pieces: Iterable<string>;
  /** Something is there that is not to be told yet. */
  readonly isMore?: boolean;
}

type Asked = Pick<AnyCall, 'query' | 'user' | 'impersonator'>;

/** What a stream is made of. */
export interface StreamSource {
  readonly clock: Clock;
  /** What changes in so short a time is told together, milliseconds. */
  readonly settleMs: number;
  /** Calls back at every change, until the answer is called. */
  readonly follow: (onChange: () => void) => () => void;
  /** Asked at the start, and after changes once the reader has taken what came before. */
  readonly next: (isFirst: boolean) => Told | Promise<Told>;
}

/**
 * Streams of one sort. Each is pulled by its reader, so that a slow one costs nobody anything: what it missed it is told
 * as it is by then.
 */
export class PulledStreams {
  readonly #open = new Set<PulledStream>();
  readonly #count = new ClientCount(STREAMS_MAX);

  /** Answers a watch. Throws 429 where too many are open, of all or of who really called. */
  open({ query, user, impersonator = user }: Asked, source: StreamSource): Reply {
    const client = clientOfUser(impersonator.name);
    const wanted = query.integer('timeoutSeconds') ?? 0;
    const seconds = wanted > 0 ? wanted : TIMEOUT_S;
    if (!this.#count.enter(client)) throw status.tooManyRequests('too many streams of the trace are open', 10);
    const stream = new PulledStream(source, seconds, () => {
      this.#open.delete(stream);
      this.#count.leave(client);
    });
    this.#open.add(stream);
    return stream.reply();
  }

  /** Ends all. */
  close(): void {
    for (const stream of this.#open) stream.end();
  }
}

class PulledStream {
  readonly #source: StreamSource;
  readonly #deadline: Timer;
  readonly #stopFollowing: () => void;
  readonly #ended: () => void;
  #wake: (() => void) | undefined;
  #timer: Timer | undefined;
  #dirty = false;
  #over = false;

  constructor(source: StreamSource, seconds: number, ended: () => void) {
    this.#source = source;
    this.#ended = ended;
    this.#deadline = source.clock.after(seconds * 1000, () => this.end(), { background: true });
    this.#stopFollowing = source.follow(() => {
      this.#dirty = true;
      if (this.#wake !== undefined) this.#arm();
    });
  }

  reply(): StreamReply {
    return {
      kind: 'stream',
      code: 200,
      contentType: 'application/json',
      body: this.#lines(),
      cancel: () => this.end(),
    };
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#deadline.cancel();
    this.#timer?.cancel();
    this.#stopFollowing();
    this.#ended();
    this.#wake?.();
  }

  async *#lines(): AsyncGenerator<Uint8Array> {
    try {
      for (let isFirst = true; !this.#over; isFirst = false) {
        this.#dirty = false;
        const { pieces, isMore = false } = await this.#source.next(isFirst);
        if (isMore) this.#dirty = true;
        for (const piece of pieces) if (piece !== '') yield encoder.encode(piece);
        if (!this.#over) await this.#changed();
      }
    } finally {
      // Also where the source failed, or the reader left: the place is free.
      this.end();
    }
  }

  /** Waits for something new, and then until it has settled. */
  #changed(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#wake = undefined;
        resolve();
      };
      this.#wake = wake;
      if (this.#dirty) this.#arm();
    });
  }

  #arm(): void {
    this.#timer ??= this.#source.clock.after(
      this.#source.settleMs,
      () => {
        this.#timer = undefined;
        this.#wake?.();
      },
      { background: true },
    );
  }
}
