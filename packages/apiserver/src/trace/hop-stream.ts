import { inOrder } from '@binnacle/trace';
import type { TraceHop } from '@binnacle/trace';
import type { AnyCall } from '../catalogue/definition.ts';
import { HOP_COLUMNS } from './columns.ts';
import { demandReadable, hopsSeen, readingFor, recordsAfter, ringState } from './hops.ts';
import type { TraceWorld } from './hops.ts';
import { TRACE_API_VERSION } from './hops-of-record.ts';
import { Turns } from '../request/turns.ts';
import type { StreamSource, Told } from './pulled-streams.ts';
import { ToldEvents } from './told-events.ts';

/** A request is recorded when it is answered, after its commits: so long they wait for it. */
const SETTLE_MS = 150;
const SENT_MAX = 100_000;
/** Characters that a reader is handed at a time. */
const PIECE_LENGTH = 1 << 16;

/** GET on `hops` with `watch`: what is there, a bookmark, then hops as they happen. */
export function hopStream(world: TraceWorld, call: AnyCall): StreamSource {
  demandReadable(call);
  const teller = new HopTeller(world, call);
  return {
    clock: world.clock,
    settleMs: SETTLE_MS,
    follow: (onChange) => world.recorder.follow(onChange),
    next: (isFirst) => teller.next(isFirst),
  };
}

class HopTeller {
  readonly #world: TraceWorld;
  readonly #call: AnyCall;
  readonly #events: ToldEvents;
  readonly #sent = new Set<number>();
  /** All up to this number are told. */
  #after: number;

  constructor(world: TraceWorld, call: AnyCall) {
    this.#world = world;
    this.#call = call;
    this.#events = new ToldEvents({ call, columns: HOP_COLUMNS, clock: world.clock });
    const after = call.query.integer('resourceVersion') ?? 0;
    // What is beyond the last number was told by a process before this one, or by another server.
    this.#after = after > world.recorder.seq ? 0 : after;
  }

  async next(isFirst: boolean): Promise<Told> {
    const { hops, isMore, toldUpTo } = await this.#new();
    // Also where nothing is new: the reader knows that this is all there is.
    const mark = isFirst || hops.length > 0 ? await this.#bookmark(isFirst, toldUpTo) : '';
    return { pieces: this.#pieces(hops, mark), isMore };
  }

  /** Whole rings are tens of megabytes as text: no more of it is made than the reader takes. */
  *#pieces(hops: readonly TraceHop[], mark: string): Generator<string> {
    let piece = '';
    for (const hop of hops) {
      piece += this.#events.line('ADDED', hop);
      if (piece.length < PIECE_LENGTH) continue;
      yield piece;
      piece = '';
    }
    yield piece + mark;
  }

  /** What is new, in the order of time; `toldUpTo`: from there on somebody else may go on. */
  async #new(): Promise<{ readonly hops: readonly TraceHop[]; readonly isMore: boolean; readonly toldUpTo: number }> {
    const reading = await readingFor(this.#world, this.#call);
    const { recorder } = this.#world;
    const now = recorder.now();
    const hops = [];
    let unsettled = Infinity;
    const turns = new Turns(this.#world.clock);
    for (const record of recordsAfter(reading, this.#world, { call: this.#call, number: this.#after })) {
      if (record.seq <= this.#after || this.#sent.has(record.seq)) continue;
      // What is still to come was before the clock was set back.
      if (record.at > now - SETTLE_MS && record.at <= now) {
        unsettled = Math.min(unsettled, record.seq);
        continue;
      }
      this.#sent.add(record.seq);
      hops.push(...(await hopsSeen(reading, this.#call, record)));
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
    const toldUpTo = Math.min(reading.upTo, unsettled - 1);
    this.#forget(toldUpTo);
    return { hops: inOrder(hops), isMore: unsettled < Infinity, toldUpTo };
  }

  /**
   * What is told to its end is not looked at again. The story of an object may take in what came before: there each number
   * that was told is kept, until the rings have let go of it.
   */
  #forget(toldUpTo: number): void {
    const isWhole = this.#call.query.get('about') === '';
    if (isWhole) this.#after = Math.max(this.#after, toldUpTo);
    else if (this.#sent.size < SENT_MAX) return;
    const [oldest] = isWhole ? [] : this.#world.recorder.after(-1);
    const from = isWhole ? this.#after + 1 : (oldest?.seq ?? 0);
    for (const seq of this.#sent) if (seq < from) this.#sent.delete(seq);
  }

  async #bookmark(isFirst: boolean, toldUpTo: number): Promise<string> {
    const metadata = { resourceVersion: String(toldUpTo) };
    const object = { apiVersion: TRACE_API_VERSION, kind: 'Hop', metadata, ring: await ringState(this.#world) };
    return this.#events.bookmark(object, { isFirst });
  }
}
