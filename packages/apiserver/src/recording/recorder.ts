import type { Clock, Hop, Trace } from '@binnacle/base';
import type { CommitRecord, RequestRecord, TraceRecord, Unnumbered, WatchRecord } from './record.ts';
import { recordOf, rowOfCommit, rowOfDelivery, rowOfHop, rowOfRequest } from './record-rows.ts';
import type { Delivered } from './record-rows.ts';
import { Ring } from './ring.ts';
import type { RingBound, Row } from './ring.ts';
import { Verdicts } from './verdicts.ts';

/** How much each part of the trace keeps. What comes often (reads, heartbeats) does not push out what is rare. */
export interface TraceBounds {
  /** Requests that changed something, their commits, and what components did. */
  readonly changes: RingBound;
  /** Reads, what was refused, heartbeats and the writing of Events. */
  readonly others: RingBound;
  readonly deliveries: RingBound;
}

/** What a server keeps where nobody says otherwise: at most some 20 MB, of which an idle cluster fills little. */
export const TRACE_BOUNDS: TraceBounds = {
  changes: { entries: 24_576, bytes: 12 << 20 },
  others: { entries: 8_192, bytes: 4 << 20 },
  deliveries: { entries: 24_576, bytes: 2 << 20 },
};

/**
 * Of what comes often so much is kept: in a burst, and for each millisecond that passes. More would only push itself out of
 * the ring within a second, and cost every read a tenth of its time.
 */
const OTHERS_BURST = 2_000;
const OTHERS_PER_MS = 0.2;

/** Of one event so many deliveries are remembered; a fan-out to thousands is told by its first ones. */
const DELIVERIES_OF_ONE = 16;
/** A clock that was set is followed; what is less is the clock's own unevenness. */
const CLOCK_JUMP_MS = 2_000;
const CLOCK_LOOK_MS = 1_000;

/** An event on its way to watchers: who counts them. */
export interface CountedEvent {
  deliveries: number;
}

/** What one batch brought one watch. */
export interface DeliveredItem extends Delivered {
  readonly event: CountedEvent | undefined;
}

/** Keeps the trace of one API server: what comes in is kept as rows of a ring, and made records when somebody asks. */
export class Recorder implements Trace {
  readonly on: boolean;
  readonly changes: Ring;
  readonly others: Ring;
  readonly deliveries: Ring;
  readonly #clock: Clock;
  readonly #followers = new Set<() => void>();
  readonly #verdicts = new Verdicts();
  #offset: number;
  /** When the clock on the wall is looked at again. */
  #lookAt = 0;
  #seq = 0;
  #othersLeft = OTHERS_BURST;
  #othersAt = 0;

  /** Without bounds it is off: nobody records, nothing is kept. */
  constructor(clock: Clock, bounds: TraceBounds | undefined) {
    const { changes, others, deliveries } = bounds ?? TRACE_BOUNDS;
    this.on = bounds !== undefined;
    this.#clock = clock;
    this.#offset = clock.now() - clock.monotonic();
    this.changes = new Ring(changes);
    this.others = new Ring(others);
    this.deliveries = new Ring(deliveries);
  }

  /** The number of the last record. */
  get seq(): number {
    return this.#seq;
  }

  /** Milliseconds since the epoch, with fractions; goes on evenly. */
  now(): number {
    return this.timeOf(this.#clock.monotonic());
  }

  /** Milliseconds of the clock that never goes back. */
  monotonic(): number {
    return this.#clock.monotonic();
  }

  /** The time of a look at that clock, for who has just looked. */
  timeOf(monotonic: number): number {
    const now = this.#offset + monotonic;
    if (now < this.#lookAt) return now;
    this.#lookAt = now + CLOCK_LOOK_MS;
    const wall = this.#clock.now();
    if (Math.abs(wall - now) < CLOCK_JUMP_MS) return now;
    this.#offset = wall - monotonic;
    return wall;
  }

  /** A component of this process did something. */
  record(hop: Hop): void {
    this.reported(hop, undefined);
  }

  /** A component of another process did something, as `reporter` says. */
  reported(hop: Hop, reporter: string | undefined): void {
    // What is said of each sync comes often, and chains of causes hold without it.
    const ring = hop.kind === 'reconcile' ? this.others : this.changes;
    if (this.#takes(ring, hop.startedAt)) this.#keep(ring, rowOfHop(++this.#seq, hop, reporter));
  }

  /** Of what plugins changed, the lists of fields are known by what they are, not by what they say. */
  request(record: Unnumbered<RequestRecord>): void {
    const ring = isChange(record) ? this.changes : this.others;
    if (this.#takes(ring, record.at)) this.#keep(ring, rowOfRequest(++this.#seq, record, this.#verdicts));
  }

  commit(record: Unnumbered<CommitRecord>): void {
    const ring = isQuiet(record) ? this.others : this.changes;
    if (this.#takes(ring, record.at)) this.#keep(ring, rowOfCommit(++this.#seq, record));
  }

  /** Live events were handed to a watch; what it began with is not told. */
  delivered(watch: WatchRecord, items: readonly (DeliveredItem | { readonly type: 'BOOKMARK' })[]): void {
    if (!this.on || isQuiet(watch)) return;
    const at = this.now();
    for (const item of items) {
      if (item.type === 'BOOKMARK' || item.event === undefined) continue;
      if (item.event.deliveries++ >= DELIVERIES_OF_ONE) continue;
      this.#keep(this.deliveries, rowOfDelivery(++this.#seq, { at, item, watch }));
    }
  }

  /** All records with a greater number, up to and with one; unordered among the parts. */
  *after(seq: number, upTo = Infinity): Generator<TraceRecord> {
    for (const ring of [this.changes, this.others, this.deliveries]) {
      for (const row of ring.after(seq)) {
        if (row.seq > upTo) break;
        yield recordOf(row);
      }
    }
  }

  /** All records with a smaller number, the newest first. */
  *before(seq: number): Generator<TraceRecord> {
    const parts = [this.changes, this.others, this.deliveries].map((ring) => {
      const rows = ring.before(seq);
      return { rows, row: nextOf(rows) };
    });
    for (;;) {
      const newest = parts.reduce((one, other) => ((other.row?.seq ?? -1) > (one.row?.seq ?? -1) ? other : one));
      if (newest.row === undefined) return;
      yield recordOf(newest.row);
      newest.row = nextOf(newest.rows);
    }
  }

  /** Called at every record; must be cheap. The answer ends it. */
  follow(onRecord: () => void): () => void {
    this.#followers.add(onRecord);
    return () => this.#followers.delete(onRecord);
  }

  /** Whether there is to be a record. */
  #takes(ring: Ring, at: number): boolean {
    if (!this.on) return false;
    if (ring !== this.others || this.#mayKeepOther()) return true;
    ring.skip(at);
    return false;
  }

  #keep(ring: Ring, row: Row): void {
    ring.push(row);
    if (this.#followers.size > 0) this.#tell();
  }

  /** A bucket that fills again by itself. */
  #mayKeepOther(): boolean {
    const now = this.#clock.monotonic();
    const passed = now - this.#othersAt;
    this.#othersAt = now;
    this.#othersLeft = Math.min(OTHERS_BURST, this.#othersLeft + passed * OTHERS_PER_MS);
    if (this.#othersLeft < 1) return false;
    this.#othersLeft--;
    return true;
  }

  #tell(): void {
    for (const follower of this.#followers) follower();
  }
}

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Written all the time, and changing nothing that anybody asked for. */
function isQuiet({ group, resource }: { readonly group: string; readonly resource: string }): boolean {
  return resource === 'leases' ? group === 'coordination.k8s.io' : resource === 'events';
}

function isChange(record: Unnumbered<RequestRecord>): boolean {
  return record.isResource && record.code < 400 && WRITES.has(record.verb) && !isQuiet(record);
}

function nextOf(rows: Generator<Row>): Row | undefined {
  const { done, value } = rows.next();
  return done === true ? undefined : value;
}
