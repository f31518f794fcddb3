import type { Node, Taint } from '@binnacle/api/core/v1';

const idOf = ({ key, value = '', effect }: Taint): string => `${key}=${value}:${effect}`;

/** Since when each NoExecute taint of each node is there: by its own time, or else from when it was first seen here. */
export class TaintTimes {
  /** By node, then by taint; nodes without such taints have no entry. */
  readonly #seen = new Map<string, ReadonlyMap<string, number>>();

  /** The node as it is now; taints that went are forgotten, and begin anew when they come back. */
  follow(node: Node, nowMs: number): void {
    const name = node.metadata.name ?? '';
    const before = this.#seen.get(name);
    const taints = (node.spec.taints ?? []).filter((taint) => taint.effect === 'NoExecute');
    if (taints.length === 0) this.#seen.delete(name);
    else this.#seen.set(name, new Map(taints.map((taint) => [idOf(taint), before?.get(idOf(taint)) ?? nowMs])));
  }

  forget(node: Node): void {
    this.#seen.delete(node.metadata.name ?? '');
  }

  /** ms since the epoch; undefined for a taint that was not followed. */
  since(node: Node, taint: Taint): number | undefined {
    if (taint.timeAdded !== undefined) return Date.parse(taint.timeAdded);
    return this.#seen.get(node.metadata.name ?? '')?.get(idOf(taint));
  }
}
