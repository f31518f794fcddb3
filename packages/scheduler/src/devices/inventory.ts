import type { SelectableNode } from '@binnacle/api';
import type { ResourceSlice } from '@binnacle/api/resource/v1';
import { gatherPools, reaches } from './pools.ts';
import type { Pool, PoolDevice } from './pools.ts';

/** A pool as one node sees it. */
export interface NodePool {
  readonly pool: Pool;
  /** Those that the node reaches. */
  readonly devices: readonly PoolDevice[];
}

/**
 * Which devices a node reaches, by what slices say. Pools whose devices all name one node are found by that node; the others are
 * looked through. Made anew when slices change, and only then.
 */
export class DeviceInventory {
  readonly #slices: () => readonly ResourceSlice[];
  #byNode: Map<string, NodePool[]> | undefined;
  #shared: readonly Pool[] = [];

  constructor(slices: () => readonly ResourceSlice[]) {
    this.#slices = slices;
  }

  /** Slices have changed. */
  invalidate(): void {
    this.#byNode = undefined;
  }

  /** In the order of their names. */
  poolsOf(node: SelectableNode): readonly NodePool[] {
    const own = this.#built().get(node.name) ?? [];
    const shared = this.#shared.flatMap((pool) => {
      const devices = pool.devices.filter(({ reach }) => reaches(reach, node));
      return devices.length === 0 ? [] : [{ pool, devices }];
    });
    return shared.length === 0 ? own : [...own, ...shared].toSorted(byName);
  }

  #built(): Map<string, NodePool[]> {
    if (this.#byNode !== undefined) return this.#byNode;
    const byNode = new Map<string, NodePool[]>();
    const shared: Pool[] = [];
    for (const pool of gatherPools(this.#slices())) {
      const [first] = pool.devices;
      const node = first?.reach.nodeName ?? '';
      if (node === '' || pool.devices.some(({ reach }) => reach.nodeName !== node)) shared.push(pool);
      else byNode.set(node, [...(byNode.get(node) ?? []), { pool, devices: pool.devices }]);
    }
    this.#shared = shared;
    this.#byNode = byNode;
    return byNode;
  }
}

function byName(a: NodePool, b: NodePool): number {
  const [x, y] = [a, b].map(({ pool }) => `${pool.driver}/${pool.name}`);
  return (x ?? '') < (y ?? '') ? -1 : 1;
}
