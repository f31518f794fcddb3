import { wellknown } from '@binnacle/api';
import type { Clock } from '@binnacle/base';
import type { Node } from '@binnacle/api/core/v1';

// Upstream's figures: 0.1 nodes a second; in a zone with 55 % or more lost, 0.01 if the zone is large, else none.
const NORMAL_MS = 10_000;
const DISRUPTED_MS = 100_000;
const UNHEALTHY_SHARE = 0.55;
const LARGE_ZONE = 50;

/** `region:zone`, as far as a node's labels tell. */
export function zoneOf(node: Node): string {
  const labels = node.metadata.labels ?? {};
  return `${labels[wellknown.LABEL_REGION] ?? ''}:${labels[wellknown.LABEL_ZONE] ?? ''}`;
}

/**
 * Pods may be evicted from one silent node of the zone in so many ms; Infinity: from none further. Given all nodes
 * and which of them are lost (not ready, or silent for too long by now).
 */
export function paceMsOf(zone: string, nodes: readonly Node[], isLost: (node: Node) => boolean): number {
  const members = nodes.filter((node) => zoneOf(node) === zone);
  const lost = members.filter(isLost).length;
  if (lost <= 2 || lost / members.length < UNHEALTHY_SHARE) return NORMAL_MS;
  return members.length > LARGE_ZONE ? DISRUPTED_MS : Number.POSITIVE_INFINITY;
}

/** Remembers per zone when the last node was given up. Bounded by the number of zones. */
export class EvictionPacer {
  readonly #clock: Clock;
  readonly #lastMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long to wait at least, whatever the pace of the zone is, ms; takes nothing. */
  soonest(zone: string): number {
    return this.#wait(zone, NORMAL_MS);
  }

  /** 0 takes the turn; otherwise how long to wait before asking again, ms. */
  take(zone: string, paceMs: number): number {
    const wait = this.#wait(zone, paceMs);
    if (wait === 0) this.#lastMs.set(zone, this.#clock.monotonic());
    return wait;
  }

  #wait(zone: string, paceMs: number): number {
    const last = this.#lastMs.get(zone);
    return last === undefined ? 0 : Math.max(0, last + paceMs - this.#clock.monotonic());
  }
}
