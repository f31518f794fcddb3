import { delayUntil } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import type { ZoneCount } from './node-book.ts';

/** How fast lost nodes of a zone are given up. */
export interface EvictionRates {
  /** Nodes a second. */
  readonly normal: number;
  /** The same in a large zone of which much is lost; in a smaller one nobody is evicted then. */
  readonly disrupted: number;
  /** From which share of lost nodes on much is lost. */
  readonly unhealthyShare: number;
  /** A zone with more nodes is large. */
  readonly largeZone: number;
}

/** Upstream's. */
export const RATES: EvictionRates = { normal: 0.1, disrupted: 0.01, unhealthyShare: 0.55, largeZone: 50 };

/**
 * Pods may be evicted from one lost node of the zone in so many ms; Infinity: from none further. A zone that is lost as a
 * whole is given up at the normal pace: its pods are wanted in another one, which lives (else nobody is evicted at all).
 */
export function paceMsOf({ members, lost }: ZoneCount, rates = RATES): number {
  const isWholeZone = lost === members;
  if (isWholeZone || lost <= 2 || lost / members < rates.unhealthyShare) return Math.round(1000 / rates.normal);
  return members > rates.largeZone ? Math.round(1000 / rates.disrupted) : Number.POSITIVE_INFINITY;
}

/** Its place in a queue; a node that leaves and comes back has another one, at the end. */
interface Waiter {
  readonly name: string;
  readonly zone: string;
}

interface ZoneQueue {
  /** First come, first served; those that left meanwhile are passed over. */
  waiters: Waiter[];
  head: number;
  /** How many of them have not left. */
  waiting: number;
  /** When the last node was given up, by the monotonic clock. */
  lastMs: number | undefined;
}

/** Fewer places of nodes that left, or zones that nobody waits in, are not worth the work of dropping them. */
const SLACK = 16;

/**
 * Lost nodes wait per zone for their turn to be given up. Only the first of a zone is ever asked to come back, so that
 * thousands that fall silent together cost one wake-up per turn and not one per turn and node.
 */
export class EvictionTurns {
  readonly #clock: Clock;
  readonly #zones = new Map<string, ZoneQueue>();
  readonly #waiting = new Map<string, Waiter>();
  /** The longest pace that was asked for: after that long without a node given up, a zone has nothing to remember. */
  #slowestMs = 0;
  /** At how many zones those that may be forgotten are dropped; it grows with what stays, so that each costs a step. */
  #zonesMax = SLACK;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many places in queues and zones are remembered; at most in proportion to the nodes that wait. */
  get size(): number {
    let size = 0;
    for (const { waiters } of this.#zones.values()) size += waiters.length + 1;
    return size;
  }

  /**
   * 0: it is this node's turn, and it is taken. Otherwise in how many ms to ask again; Infinity: when woken. Who waits in
   * another zone has to leave that first, so that the one behind it can be woken.
   */
  ask(zone: string, name: string, paceMs: number): number {
    const isStill = !Number.isFinite(paceMs);
    if (!isStill) this.#slowestMs = Math.max(this.#slowestMs, paceMs);
    this.#join(zone, name);
    if (isStill || this.first(zone) !== name) return Number.POSITIVE_INFINITY;
    const queue = this.#zone(zone);
    const wait = queue.lastMs === undefined ? 0 : delayUntil(this.#clock, queue.lastMs + paceMs);
    if (wait > 0) return wait;
    queue.lastMs = this.#clock.monotonic();
    this.leave(name);
    return 0;
  }

  /** It needs no turn (any more). Answers its zone when it was the first there: the next one may be woken. */
  leave(name: string): string | undefined {
    const waiter = this.#waiting.get(name);
    if (waiter === undefined) return undefined;
    const wasFirst = this.first(waiter.zone) === name;
    this.#waiting.delete(name);
    this.#zone(waiter.zone).waiting--;
    return wasFirst ? waiter.zone : undefined;
  }

  /** Whose turn is next in the zone. */
  first(zone: string): string | undefined {
    const queue = this.#zones.get(zone);
    if (queue === undefined) return undefined;
    for (; queue.head < queue.waiters.length; queue.head++) {
      const waiter = queue.waiters[queue.head];
      if (waiter !== undefined && this.#isWaiting(waiter)) return waiter.name;
    }
    queue.waiters = [];
    queue.head = 0;
    return undefined;
  }

  #join(zone: string, name: string): void {
    if (this.#waiting.get(name)?.zone === zone) return;
    this.leave(name);
    const queue = this.#zone(zone);
    // Dropped once they are the larger half: also behind a first one that stands still, where others come and go.
    if (queue.waiters.length > 2 * queue.waiting + SLACK) {
      queue.waiters = queue.waiters.slice(queue.head).filter((waiter) => this.#isWaiting(waiter));
      queue.head = 0;
    }
    const waiter = { name, zone };
    this.#waiting.set(name, waiter);
    queue.waiters.push(waiter);
    queue.waiting++;
  }

  #isWaiting(waiter: Waiter): boolean {
    return this.#waiting.get(waiter.name) === waiter;
  }

  #zone(zone: string): ZoneQueue {
    let queue = this.#zones.get(zone);
    if (queue === undefined) {
      if (this.#zones.size >= this.#zonesMax) this.#dropIdleZones();
      this.#zones.set(zone, (queue = { waiters: [], head: 0, waiting: 0, lastMs: undefined }));
    }
    return queue;
  }

  /** A node that tells another zone each time would leave them all behind. */
  #dropIdleZones(): void {
    const before = this.#clock.monotonic() - this.#slowestMs;
    for (const [zone, { waiting, lastMs }] of this.#zones) {
      if (waiting === 0 && (lastMs === undefined || lastMs < before)) this.#zones.delete(zone);
    }
    this.#zonesMax = 2 * this.#zones.size + SLACK;
  }
}
