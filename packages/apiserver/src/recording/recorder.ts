import type { Clock, Hop, Trace } from '@binnacle/base';
import { AdmittedLists } from './admitted-lists.ts';
import { DeliveryRing } from './delivery-ring.ts';
import { RecordPool } from './record-pool.ts';
import type { AdmittedBy, CommitRecord, DeliveryRecord, RequestRecord, TraceRecord, WatchRecord } from './record.ts';
import { Ring } from './ring.ts';
import type { RingBound } from './ring.ts';

/** How much each part of the trace keeps. What comes often (reads, heartbeats) does not push out what is rare. */
export interface TraceBounds {
  /** Requests that changed something, their commits, and what components did. */
  readonly changes: RingBound;
  /** Reads, what was refused, heartbeats and the writing of Events. */
  readonly others: RingBound;
  readonly deliveries: number;
}

/** What a server keeps where nobody says otherwise: at most some 20 MB, of which an idle cluster fills little. */
export const TRACE_BOUNDS: TraceBounds = {
  changes: { entries: 24_576, bytes: 12 << 20 },
  others: { entries: 8_192, bytes: 4 << 20 },
  deliveries: 24_576,
};

/**
 * Of what comes often so much is kept: in a burst, and for each millisecond that passes. More would only push itself out of
 * the ring within a second, and cost every read a tenth of its time.
 */
const OTHERS_BURST = 2_000;
const OTHERS_PER_MS = 0.2;

/** Of one event so many deliveries are remembered; a fan-out to thousands is told by its first ones. */
const DELIVERIES_OF_ONE = 16;
/** What an entry weighs beside its texts, in bytes: measured, rounded up. */
const ENTRY_WEIGHT = 320;
/** A clock that was set is followed; what is less is the clock's own unevenness. */
const CLOCK_JUMP_MS = 2_000;
const CLOCK_LOOK_MS = 1_000;

/** An event on its way to watchers: who counts them. */
export interface CountedEvent {
  deliveries: number;
}

/** What one batch brought one watch. */
export interface DeliveredItem {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  readonly entry: { readonly key: string };
  readonly event: CountedEvent | undefined;
}

/** Keeps the trace of one API server: what comes in is held as it is, and put into words when somebody asks. */
export class Recorder implements Trace {
  readonly on: boolean;
  readonly changes: Ring<TraceRecord>;
  readonly others: Ring<TraceRecord>;
  readonly deliveries: DeliveryRing;
  readonly #clock: Clock;
  readonly #followers = new Set<() => void>();
  readonly #admitted = new AdmittedLists();
  #offset: number;
  /** When the clock on the wall is looked at again. */
  #lookAt = 0;
  #seq = 0;
  #othersLeft = OTHERS_BURST;
  #othersAt = 0;

  /** Without bounds it is off: nobody records, nothing is kept. */
  constructor(clock: Clock, bounds: TraceBounds | undefined) {
    const { changes, others, deliveries } = bounds ?? { ...TRACE_BOUNDS, deliveries: 0 };
    this.on = bounds !== undefined;
    this.#clock = clock;
    this.#offset = clock.now() - clock.monotonic();
    this.changes = new Ring(changes, new RecordPool(weigh));
    this.others = new Ring(others, new RecordPool(weigh));
    this.deliveries = new DeliveryRing(deliveries);
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
    this.#keep(ring, { kind: 'component', seq: 0, at: hop.startedAt, hop, reporter });
  }

  /** The record may be kept as it is: nobody else holds it. */
  request(record: RequestRecord): void {
    this.#keep(isChange(record) ? this.changes : this.others, record);
  }

  /** What plugins changed, in a list that requests of a sort share. */
  admitted(by: readonly AdmittedBy[] | undefined): readonly AdmittedBy[] | undefined {
    return this.#admitted.shared(by);
  }

  /** The record may be kept as it is: nobody else holds it. */
  commit(record: CommitRecord): void {
    this.#keep(isQuiet(record) ? this.others : this.changes, record);
  }

  /** Live events were handed to a watch; what it began with is not told. */
  delivered(watch: WatchRecord, items: readonly (DeliveredItem | { readonly type: 'BOOKMARK' })[]): void {
    if (!this.on || isQuiet(watch)) return;
    const at = this.now();
    for (const item of items) {
      if (item.type === 'BOOKMARK' || item.event === undefined) continue;
      if (item.event.deliveries++ >= DELIVERIES_OF_ONE) continue;
      const { type, revision, entry } = item;
      this.deliveries.push(watch, { seq: ++this.#seq, at, revision, type, key: entry.key });
      if (this.#followers.size > 0) this.#tell();
    }
  }

  /** All records with a greater number, unordered among the parts. */
  *after(seq: number): Generator<TraceRecord | DeliveryRecord> {
    yield* this.changes.after(seq);
    yield* this.others.after(seq);
    yield* this.deliveries.after(seq);
  }

  /** Called at every record; must be cheap. The answer ends it. */
  follow(onRecord: () => void): () => void {
    this.#followers.add(onRecord);
    return () => this.#followers.delete(onRecord);
  }

  #keep(ring: Ring<TraceRecord>, record: TraceRecord): void {
    if (!this.on) return;
    if (ring === this.others && !this.#mayKeepOther()) return ring.skip(record.at);
    record.seq = ++this.#seq;
    ring.push(record);
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

function isChange(record: RequestRecord): boolean {
  return record.isResource && record.code < 400 && WRITES.has(record.verb) && !isQuiet(record);
}

function weigh(record: TraceRecord): number {
  switch (record.kind) {
    case 'request':
      return ENTRY_WEIGHT + record.path.length + record.agent.length + (record.error?.length ?? 0);
    case 'commit':
      return ENTRY_WEIGHT + record.key.length;
    case 'component':
      return ENTRY_WEIGHT + record.hop.name.length + weightOfDetail(record.hop);
  }
}

/** A detail that is made when somebody asks is kept by its maker. */
function weightOfDetail({ detail }: Hop): number {
  return detail === undefined || typeof detail === 'function' ? 0 : weightOf(detail);
}

/** About as much as its JSON has characters, without making it. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 16;
  if (typeof value !== 'object' || value === null) return 16;
  let sum = 32;
  for (const [name, member] of Object.entries(value)) sum += name.length + weightOf(member);
  return sum;
}
