import type { Timer } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import { inOrder } from '@binnacle/trace';
import type { AnyCall, Reply, StreamReply } from '../catalogue/definition.ts';
import { hopsSeen, readingFor, recordsFor, ringState } from './hops.ts';
import type { TraceWorld } from './hops.ts';
import { TRACE_API_VERSION } from './hops-of-record.ts';
import { Turns } from '../request/turns.ts';

const encoder = new TextEncoder();
/** Upstream's mark of the bookmark behind what was there at the start of a watch. */
export const INITIAL_EVENTS_END = { 'k8s.io/initial-events-end': 'true' };
/** A request is recorded when it is answered, after its commits: so long they wait for it. */
const SETTLE_MS = 150;
const STREAMS_MAX = 64;
/** A stream that names no time ends after an hour. */
const TIMEOUT_S = 3_600;

/** The streams of one server: each is pulled by its reader, so that a slow one costs nobody anything. */
export class HopStreams {
  readonly #world: TraceWorld;
  readonly #open = new Set<HopStream>();

  constructor(world: TraceWorld) {
    this.#world = world;
  }

  /** GET on `hops` with `watch`: what is there, a bookmark, then hops as they happen. */
  open(call: AnyCall): Reply {
    if (this.#open.size >= STREAMS_MAX) throw status.tooManyRequests('too many streams of the trace are open', 10);
    const stream = new HopStream(this.#world, call);
    this.#open.add(stream);
    return stream.reply(() => this.#open.delete(stream));
  }

  /** Ends all. */
  close(): void {
    for (const stream of this.#open) stream.end();
  }
}

class HopStream {
  readonly #world: TraceWorld;
  readonly #call: AnyCall;
  readonly #sent = new Set<number>();
  readonly #deadline: Timer;
  #wake: (() => void) | undefined;
  #timer: Timer | undefined;
  #stopFollowing: () => void;
  #dirty = true;
  #over = false;
  #after: number;

  constructor(world: TraceWorld, call: AnyCall) {
    this.#world = world;
    this.#call = call;
    const seconds = call.query.integer('timeoutSeconds') ?? TIMEOUT_S;
    this.#after = call.query.integer('resourceVersion') ?? 0;
    this.#deadline = world.clock.after(Math.max(1, seconds) * 1000, () => this.end(), { background: true });
    this.#stopFollowing = world.recorder.follow(() => this.#mark());
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
    for (let isFirst = true; !this.#over; isFirst = false) {
      this.#dirty = false;
      const lines = await this.#next();
      // Also where nothing is new: the reader knows that this is all there is.
      if (isFirst || lines.length > 0) lines.push(await this.#bookmark(isFirst));
      if (lines.length > 0) yield encoder.encode(lines.join(''));
      if (!this.#over) await this.#changed();
    }
  }

  /** What is new, in the order of time. */
  async #next(): Promise<string[]> {
    const reading = readingFor(this.#world, this.#call);
    const settled = this.#world.recorder.now() - SETTLE_MS;
    const hops = [];
    const turns = new Turns(this.#world.clock);
    for (const record of recordsFor(this.#world, this.#call)) {
      if (record.seq <= this.#after || this.#sent.has(record.seq)) continue;
      if (record.at > settled) {
        this.#dirty = true;
        continue;
      }
      this.#sent.add(record.seq);
      hops.push(...(await hopsSeen(reading, this.#call, record)));
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
    this.#forget();
    return inOrder(hops).map((object) => `${JSON.stringify({ type: 'ADDED', object })}\n`);
  }

  /** Numbers of what the rings have let go of need not be kept. */
  #forget(): void {
    const [oldest] = this.#world.recorder.after(-1);
    if (oldest === undefined || this.#sent.size < 100_000) return;
    for (const seq of this.#sent) if (seq < oldest.seq) this.#sent.delete(seq);
  }

  async #bookmark(isFirst: boolean): Promise<string> {
    const asked = isFirst && this.#call.query.get('sendInitialEvents') === 'true';
    const annotations = asked ? { annotations: INITIAL_EVENTS_END } : {};
    const metadata = { resourceVersion: String(this.#world.recorder.seq), ...annotations };
    const object = { apiVersion: TRACE_API_VERSION, kind: 'Hop', metadata, ring: await ringState(this.#world) };
    return `${JSON.stringify({ type: 'BOOKMARK', object })}\n`;
  }

  #mark(): void {
    this.#dirty = true;
    if (this.#wake !== undefined) this.#arm();
  }

  /** Waits for something new, and then until it has settled. */
  #changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
      if (this.#dirty) this.#arm();
    });
  }

  #arm(): void {
    this.#timer ??= this.#world.clock.after(
      SETTLE_MS,
      () => {
        this.#timer = undefined;
        this.#wake?.();
      },
      { background: true },
    );
  }
}
