import { quantityMilliValue } from '@binnacle/machinery';
import { isNodeReady } from '@binnacle/api';
import type { Node } from '@binnacle/api/core/v1';
import { zoneLabel } from '../service-endpoints.ts';

/** Nodes with one of these labels carry no load of services. */
const EXCLUDED = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

interface Part {
  /** Undefined: a node that says too little, so that no proportion is known. */
  readonly zone: string | undefined;
  readonly milliCpu: number;
}

/** How the CPU of the ready nodes is spread over zones, kept as nodes come, change and go. */
export class ZoneCpu {
  readonly #parts = new Map<string, Part>();
  readonly #zones = new Map<string, { nodes: number; milliCpu: number }>();
  #unclear = 0;

  /** A node came or changed (after), or went (no after). Answers whether the proportions may be others now. */
  set(name: string, after: Node | undefined): boolean {
    const before = this.#parts.get(name);
    const part = after === undefined ? undefined : partOf(after);
    if (before?.zone === part?.zone && before?.milliCpu === part?.milliCpu && !before === !part) return false;
    if (before !== undefined) this.#count(before, -1);
    if (part === undefined) this.#parts.delete(name);
    else {
      this.#parts.set(name, part);
      this.#count(part, 1);
    }
    return true;
  }

  /** What part of all CPU each zone has; undefined when there are fewer than two zones or a node says too little. */
  shares(): ReadonlyMap<string, number> | undefined {
    if (this.#unclear > 0 || this.#zones.size < 2) return undefined;
    let total = 0;
    for (const { milliCpu } of this.#zones.values()) total += milliCpu;
    const sorted = [...this.#zones].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return new Map(sorted.map(([zone, { milliCpu }]) => [zone, milliCpu / total]));
  }

  #count({ zone, milliCpu }: Part, by: 1 | -1): void {
    if (zone === undefined) {
      this.#unclear += by;
      return;
    }
    const sum = this.#zones.get(zone) ?? { nodes: 0, milliCpu: 0 };
    sum.nodes += by;
    sum.milliCpu += by * milliCpu;
    if (sum.nodes === 0) this.#zones.delete(zone);
    else this.#zones.set(zone, sum);
  }
}

/** What a node adds; undefined: nothing, as it is not ready or not for services. */
function partOf(node: Node): Part | undefined {
  const labels = node.metadata.labels ?? {};
  if (EXCLUDED.some((label) => Object.hasOwn(labels, label)) || !isNodeReady(node)) return undefined;
  const zone = zoneLabel(labels) ?? '';
  const milliCpu = quantityMilliValue(node.status?.allocatable?.['cpu'] ?? '0');
  return zone === '' || milliCpu <= 0 ? { zone: undefined, milliCpu: 0 } : { zone, milliCpu };
}
