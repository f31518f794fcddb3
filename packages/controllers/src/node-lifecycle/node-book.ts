import { wellknown } from '@binnacle/api';
import type { Clock } from '@binnacle/base';
import type { Node } from '@binnacle/api/core/v1';
import { DeadlineHeap } from './deadline-heap.ts';
import { PATIENCE, readinessOf, silentInMs } from './health.ts';
import type { Patience } from './health.ts';

/** A zone in figures, without the nodes that bear `node.kubernetes.io/exclude-disruption`. Lost: not ready, or silent for too long. */
export interface ZoneCount {
  readonly members: number;
  readonly lost: number;
}

interface Entry {
  readonly node: Node;
  readonly zone: string;
  /** When it was last heard, and when it will have been silent for too long, by the clock that never goes back. */
  readonly heardAt: number | undefined;
  readonly silentAt: number;
  readonly lost: boolean;
  /** Its zone is not judged by it. */
  readonly isApart: boolean;
}

const EMPTY: ZoneCount = { members: 0, lost: 0 };

/** `region:zone`, as far as a node's labels tell. */
export function zoneOf(node: Node): string {
  const labels = node.metadata.labels ?? {};
  return `${labels[wellknown.LABEL_REGION] ?? ''}:${labels[wellknown.LABEL_ZONE] ?? ''}`;
}

/**
 * All nodes, when each was last heard (by our own clock, which never goes back: the nodes' clocks are not trusted), and how many of each
 * zone are lost. Counted as things change and as deadlines pass, never by going through all nodes.
 */
export class NodeBook {
  readonly #clock: Clock;
  readonly #patience: Patience;
  readonly #entries = new Map<string, Entry>();
  readonly #zones = new Map<string, ZoneCount>();
  readonly #deadlines = new DeadlineHeap();
  /** Of all zones. */
  #members = 0;
  #lost = 0;

  constructor(clock: Clock, patience = PATIENCE) {
    this.#clock = clock;
    this.#patience = patience;
  }

  /** The node as it is now; `heard` when this is a sign of life. Answers the zones that are counted otherwise now. */
  observe(node: Node, { heard }: { readonly heard: boolean }): readonly string[] {
    const name = node.metadata.name ?? '';
    const heardAt = heard ? this.#clock.monotonic() : this.#entries.get(name)?.heardAt;
    return this.#put(name, node, heardAt);
  }

  /** A sign of life that is not in the node itself: its Lease. Answers the zones that are counted otherwise now. */
  hear(name: string): readonly string[] {
    const entry = this.#entries.get(name);
    return entry === undefined ? [] : this.#put(name, entry.node, this.#clock.monotonic());
  }

  forget(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    this.#deadlines.cancel(name);
    this.#count(entry, -1);
  }

  /** For how long the node may still be silent, ms. */
  silentInMs(node: Node): number {
    const entry = this.#entries.get(node.metadata.name ?? '');
    if (entry !== undefined) return entry.silentAt - this.#clock.monotonic();
    return silentInMs(node, { at: undefined, clock: this.#clock }, this.#patience);
  }

  zone(zone: string): ZoneCount {
    this.#settle();
    return this.#zones.get(zone) ?? EMPTY;
  }

  /** All zones with nodes, as they are now. */
  zones(): Iterable<readonly [string, ZoneCount]> {
    this.#settle();
    return this.#zones;
  }

  /** Whether there is any node that is not lost. */
  get anyLeft(): boolean {
    this.#settle();
    return this.#lost < this.#members;
  }

  #put(name: string, node: Node, heardAt: number | undefined): readonly string[] {
    const before = this.#entries.get(name);
    const wait = silentInMs(node, { at: heardAt, clock: this.#clock }, this.#patience);
    const silentAt = this.#clock.monotonic() + wait;
    const lost = readinessOf(node) !== 'True' || wait <= 0;
    const isApart = node.metadata.labels?.[wellknown.LABEL_EXCLUDE_DISRUPTION] !== undefined;
    const entry = { node, zone: zoneOf(node), heardAt, silentAt, lost, isApart };
    this.#entries.set(name, entry);
    if (!lost) this.#deadlines.schedule(name, silentAt);
    if (before?.lost === lost && before.zone === entry.zone && before.isApart === isApart) return [];
    if (before !== undefined) this.#count(before, -1);
    this.#count(entry, 1);
    return before === undefined || before.zone === entry.zone ? [entry.zone] : [before.zone, entry.zone];
  }

  #count({ zone, lost, isApart }: Entry, sign: 1 | -1): void {
    if (isApart) return;
    const count = this.#zones.get(zone) ?? EMPTY;
    const members = count.members + sign;
    this.#members += sign;
    if (lost) this.#lost += sign;
    if (members === 0) this.#zones.delete(zone);
    else this.#zones.set(zone, { members, lost: count.lost + (lost ? sign : 0) });
  }

  /** Nodes whose time ran out since the last question are lost now. */
  #settle(): void {
    const now = this.#clock.monotonic();
    for (let name = this.#deadlines.takeDue(now); name !== undefined; name = this.#deadlines.takeDue(now)) {
      const entry = this.#entries.get(name);
      if (entry !== undefined) this.#put(name, entry.node, entry.heardAt);
    }
  }
}
