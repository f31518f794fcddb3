import type { SelectableNode } from '@binnacle/api';
import type { ResourceSlice } from '@binnacle/api/resource/v1';
import { RecentTable } from '@binnacle/base';
import { gatherPools, reaches } from './pools.ts';
import type { Pool, PoolDevice } from './pools.ts';

/** A pool as one node sees it. */
export interface NodePool {
  readonly pool: Pool;
  /** Those that the node reaches. */
  readonly devices: readonly PoolDevice[];
}

/** Nodes whose pools are kept. */
const VIEWS_MAX = 32_768;

interface NodeView {
  readonly labels: SelectableNode['labels'];
  readonly pools: readonly NodePool[];
}

/**
 * Which devices a node reaches, by what slices say. Pools whose devices all name one node are found by that node; the others are
 * looked through. Made anew when slices change, and only then.
 */
export class DeviceInventory {
  #version = 0;
  readonly #slices: () => readonly ResourceSlice[];
  #byNode: Map<string, NodePool[]> | undefined;
  #shared: readonly Pool[] = [];
  /** Of each pool: the node that alone reaches it, or the empty name. */
  #nodeOf = new Map<string, string>();
  /** What nodes reach of pools that are not theirs alone, by name: as long as their labels are the same. */
  #reached = new RecentTable<NodeView>(VIEWS_MAX);

  constructor(slices: () => readonly ResourceSlice[]) {
    this.#slices = slices;
  }

  /** Slices have changed. */
  invalidate(): void {
    this.#version++;
    this.#byNode = undefined;
    this.#reached = new RecentTable(VIEWS_MAX);
  }

  /** Another one after each change of slices. */
  get version(): number {
    return this.#version;
  }

  /** In the order of their names. */
  poolsOf(node: SelectableNode): readonly NodePool[] {
    const own = this.#built().get(node.name) ?? [];
    if (this.#shared.length === 0) return own;
    const known = this.#reached.get(node.name);
    if (known !== undefined && known.labels === node.labels) return known.pools;
    const shared = this.#shared.flatMap((pool): readonly NodePool[] => {
      const devices = pool.devices.filter(({ reach }) => reaches(reach, node));
      if (devices.length === 0) return [];
      // One array for all nodes that reach all of it: whoever keeps what holds of a pool's devices keeps it once.
      return [{ pool, devices: devices.length === pool.devices.length ? pool.devices : devices }];
    });
    const pools = [...own, ...shared].toSorted(byName);
    this.#reached.set(node.name, { labels: node.labels, pools });
    return pools;
  }

  /** Which node alone reaches a pool, by the pool's id; empty: several may; undefined: there is no such pool. */
  nodeOf(pool: string): string | undefined {
    this.#built();
    return this.#nodeOf.get(pool);
  }

  #built(): Map<string, NodePool[]> {
    if (this.#byNode !== undefined) return this.#byNode;
    const byNode = new Map<string, NodePool[]>();
    const shared: Pool[] = [];
    const nodeOf = new Map<string, string>();
    for (const pool of gatherPools(this.#slices())) {
      const [first] = pool.devices;
      const node = first?.reach.nodeName ?? '';
      const isShared = node === '' || pool.devices.some(({ reach }) => reach.nodeName !== node);
      nodeOf.set(pool.id, isShared ? '' : node);
      if (isShared) shared.push(pool);
      else byNode.set(node, [...(byNode.get(node) ?? []), { pool, devices: pool.devices }]);
    }
    this.#shared = shared;
    this.#nodeOf = nodeOf;
    this.#byNode = byNode;
    return byNode;
  }
}

function byName(a: NodePool, b: NodePool): number {
  return a.pool.id < b.pool.id ? -1 : 1;
}
