import { wellknown } from '@binnacle/api';
import type { Clock } from '@binnacle/base';
import type { Node } from '@binnacle/api/core/v1';
import { DeadlineHeap } from './deadline-heap.ts';
import { PATIENCE, readinessOf, silentAtMs } from './health.ts';
import type { Patience } from './health.ts';

/** A zone in figures. Lost: not ready, or silent for too long. */
export interface ZoneCount {
  readonly members: number;
  readonly lost: number;
}

interface Entry {
  readonly node: Node;
  readonly zone: string;
  readonly heardMs: number | undefined;
  /** When it will have been silent for too long, ms since the epoch. */
  readonly silentAtMs: number;
  readonly lost: boolean;
}

const EMPTY: ZoneCount = { members: 0, lost: 0 };

/** `region:zone`, as far as a node's labels tell. */
export function zoneOf(node: Node): string {
  const labels = node.metadata.labels ?? {};
  return `${labels[wellknown.LABEL_REGION] ?? ''}:${labels[wellknown.LABEL_ZONE] ?? ''}`;
}

/**
 * All nodes, when each was last heard (by our own clock: the nodes' clocks are not trusted), and how many of each
 * zone are lost. Counted as things change and as deadlines pass, never by going through all nodes.
 */
export class NodeBook {
  readonly #clock: Clock;
  readonly #patience: Patience;
  readonly #entries = new Map<string, Entry>();
  readonly #zones = new Map<string, ZoneCount>();
  readonly #deadlines = new DeadlineHeap();
  #lost = 0;

  constructor(clock: Clock, patience = PATIENCE) {
    this.#clock = clock;
    this.#patience = patience;
  }

  /** The node as it is now; `heard` when this is a sign of life. */
  observe(node: Node, { heard }: { readonly heard: boolean }): void {
    const name = node.metadata.name ?? '';
    const heardMs = heard ? this.#clock.now() : this.#entries.get(name)?.heardMs;
    this.#put(name, node, heardMs);
  }

  /** A sign of life that is not in the node itself: its Lease. */
  hear(name: string): void {
    const entry = this.#entries.get(name);
    if (entry !== undefined) this.#put(name, entry.node, this.#clock.now());
  }

  forget(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    this.#deadlines.cancel(name);
    this.#count(entry, -1);
  }

  /** When the node will have been silent for too long, ms since the epoch. */
  silentAtMs(node: Node): number {
    return this.#entries.get(node.metadata.name ?? '')?.silentAtMs ?? silentAtMs(node, undefined, this.#patience);
  }

  zone(zone: string): ZoneCount {
    this.#settle();
    return this.#zones.get(zone) ?? EMPTY;
  }

  /** Whether there is any node that is not lost. */
  get anyLeft(): boolean {
    this.#settle();
    return this.#lost < this.#entries.size;
  }

  #put(name: string, node: Node, heardMs: number | undefined): void {
    const before = this.#entries.get(name);
    const at = silentAtMs(node, heardMs, this.#patience);
    const isReady = readinessOf(node) === 'True';
    const lost = !isReady || at <= this.#clock.now();
    const entry = { node, zone: zoneOf(node), heardMs, silentAtMs: at, lost };
    this.#entries.set(name, entry);
    if (!lost) this.#deadlines.schedule(name, at);
    if (before?.lost === lost && before.zone === entry.zone) return;
    if (before !== undefined) this.#count(before, -1);
    this.#count(entry, 1);
  }

  #count({ zone, lost }: Entry, sign: 1 | -1): void {
    const count = this.#zones.get(zone) ?? EMPTY;
    const members = count.members + sign;
    if (lost) this.#lost += sign;
    if (members === 0) this.#zones.delete(zone);
    else this.#zones.set(zone, { members, lost: count.lost + (lost ? sign : 0) });
  }

  /** Nodes whose time ran out since the last question are lost now. */
  #settle(): void {
    const now = this.#clock.now();
    for (let name = this.#deadlines.takeDue(now); name !== undefined; name = this.#deadlines.takeDue(now)) {
      const entry = this.#entries.get(name);
      if (entry !== undefined) this.#put(name, entry.node, entry.heardMs);
    }
  }
}
