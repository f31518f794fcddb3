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

interface ZoneQueue {
  /** First come, first served; names that left meanwhile are passed over. */
  names: string[];
  head: number;
  /** When the last node was given up, by the monotonic clock. */
  lastMs: number | undefined;
}

/**
 * Lost nodes wait per zone for their turn to be given up. Only the first of a zone is ever asked to come back, so that
 * thousands that fall silent together cost one wake-up per turn and not one per turn and node.
 */
export class EvictionTurns {
  readonly #clock: Clock;
  readonly #zones = new Map<string, ZoneQueue>();
  readonly #waiting = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** 0: it is this node's turn, and it is taken. Otherwise in how many ms to ask again; Infinity: when woken. */
  ask(zone: string, name: string, paceMs: number): number {
    this.#join(zone, name);
    if (this.first(zone) !== name) return Number.POSITIVE_INFINITY;
    const queue = this.#zone(zone);
    const wait = queue.lastMs === undefined ? 0 : delayUntil(this.#clock, queue.lastMs + paceMs);
    if (Number.isFinite(paceMs) && wait === 0) {
      queue.lastMs = this.#clock.monotonic();
      this.leave(name);
      return 0;
    }
    return Number.isFinite(paceMs) ? wait : Number.POSITIVE_INFINITY;
  }

  /** It needs no turn (any more). Answers its zone when it was the first there: the next one may be woken. */
  leave(name: string): string | undefined {
    const zone = this.#waiting.get(name);
    if (zone === undefined) return undefined;
    const wasFirst = this.first(zone) === name;
    this.#waiting.delete(name);
    return wasFirst ? zone : undefined;
  }

  /** Whose turn is next in the zone. */
  first(zone: string): string | undefined {
    const queue = this.#zones.get(zone);
    if (queue === undefined) return undefined;
    for (; queue.head < queue.names.length; queue.head++) {
      const name = queue.names[queue.head];
      if (name !== undefined && this.#waiting.get(name) === zone) return name;
    }
    queue.names = [];
    queue.head = 0;
    return undefined;
  }

  #join(zone: string, name: string): void {
    if (this.#waiting.get(name) === zone) return;
    this.#waiting.set(name, zone);
    const queue = this.#zone(zone);
    // Names that left are dropped once they are the larger half, so a queue is never longer than twice its nodes.
    if (queue.head > queue.names.length / 2) {
      queue.names = queue.names.slice(queue.head);
      queue.head = 0;
    }
    queue.names.push(name);
  }

  #zone(zone: string): ZoneQueue {
    let queue = this.#zones.get(zone);
    if (queue === undefined) this.#zones.set(zone, (queue = { names: [], head: 0, lastMs: undefined }));
    return queue;
  }
}
