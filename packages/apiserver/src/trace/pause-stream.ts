import type { Clock, Timer } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { ComponentPause, Pauses } from '@binnacle/trace';
import type { AnyCall, Reply, StreamReply } from '../catalogue/definition.ts';
import { INITIAL_EVENTS_END } from './hop-stream.ts';
import { TRACE_API_VERSION } from './hops-of-record.ts';

const encoder = new TextEncoder();
/** What changes in so short a time is told once. */
const SETTLE_MS = 50;
const STREAMS_MAX = 64;
const TIMEOUT_S = 3_600;

/** Watches of who is held. Each is pulled by its reader: what a slow one missed it is told as it is by then. */
export class PauseStreams {
  readonly #pauses: Pauses;
  readonly #clock: Clock;
  readonly #shown: (pause: ComponentPause) => object;
  readonly #open = new Set<PauseStream>();

  constructor(pauses: Pauses, clock: Clock, shown: (pause: ComponentPause) => object) {
    this.#pauses = pauses;
    this.#clock = clock;
    this.#shown = shown;
  }

  open(call: AnyCall): Reply {
    if (this.#open.size >= STREAMS_MAX) throw status.tooManyRequests('too many streams of the trace are open', 10);
    const { info, query } = call;
    const stream = new PauseStream(this.#pauses, this.#clock, {
      after: query.integer('resourceVersion') ?? 0,
      seconds: query.integer('timeoutSeconds') ?? TIMEOUT_S,
      endsInitial: query.get('sendInitialEvents') === 'true',
      line: (pause) =>
        info.name === '' || info.name === pause.component
          ? `${JSON.stringify({ type: 'MODIFIED', object: this.#shown(pause) })}\n`
          : '',
    });
    this.#open.add(stream);
    return stream.reply(() => this.#open.delete(stream));
  }

  /** Ends all. */
  close(): void {
    for (const stream of this.#open) stream.end();
  }
}

interface Following {
  readonly after: number;
  readonly seconds: number;
  /** Whether the reader waits to hear that what was there at the start is told. */
  readonly endsInitial: boolean;
  readonly line: (pause: ComponentPause) => string;
}

class PauseStream {
  readonly #pauses: Pauses;
  readonly #clock: Clock;
  readonly #line: Following['line'];
  readonly #deadline: Timer;
  readonly #stopFollowing: () => void;
  #endsInitial: boolean;
  #after: number;
  #wake: (() => void) | undefined;
  #timer: Timer | undefined;
  #over = false;

  constructor(pauses: Pauses, clock: Clock, { after, seconds, endsInitial, line }: Following) {
    this.#pauses = pauses;
    this.#clock = clock;
    this.#line = line;
    this.#endsInitial = endsInitial;
    this.#after = after;
    this.#deadline = clock.after(Math.max(1, seconds) * 1000, () => this.end(), { background: true });
    this.#stopFollowing = pauses.follow(() => this.#arm());
  }

  reply(closed: () => void): StreamReply {
    return {
      kind: 'stream',
      code: 200,
      contentType: 'application/json',
      body: this.#lines(),
      cancel: () => {
        this.end();
        closed();
      },
    };
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#deadline.cancel();
    this.#timer?.cancel();
    this.#stopFollowing();
    this.#wake?.();
  }

  async *#lines(): AsyncGenerator<Uint8Array> {
    while (!this.#over) {
      let lines = this.#pauses.changedAfter(this.#after).map(this.#line).join('');
      this.#after = this.#pauses.version;
      if (this.#endsInitial) lines += initialEnd(this.#after);
      this.#endsInitial = false;
      if (lines !== '') yield encoder.encode(lines);
      if (!this.#over) await this.#changed();
    }
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
      if (this.#pauses.version > this.#after) this.#arm();
    });
  }

  /** Wakes a reader that waits, once things have settled. */
  #arm(): void {
    if (this.#wake === undefined) return;
    this.#timer ??= this.#clock.after(
      SETTLE_MS,
      () => {
        this.#timer = undefined;
        this.#wake?.();
      },
      { background: true },
    );
  }
}

function initialEnd(version: number): string {
  const metadata = { resourceVersion: String(version), annotations: INITIAL_EVENTS_END };
  const object = { apiVersion: TRACE_API_VERSION, kind: 'Pause', metadata };
  return `${JSON.stringify({ type: 'BOOKMARK', object })}\n`;
}
