import { NODES } from '@binnacle/api';
import type { Node } from '@binnacle/api/core/v1';
import { status } from '@binnacle/machinery';
import { referenceTo } from '@binnacle/client';
import { runController, triggerOf } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit, NodeCidrOptions, StartOptions } from '../controller-kit.ts';
import { CidrPool } from './cidr-pool.ts';
import { poolFigures } from './figures.ts';
import type { PoolMeter } from './figures.ts';

/** Upstream's defaults of `--node-cidr-mask-size-ipv4` and `-ipv6`. */
const MASK = { ipv4: 24, ipv6: 64 };

/** Upstream's: so often a network is written before that is told of as failed. */
const GIVE_TRIES = 3;

/** So many nodes that are gone are remembered. */
const FORMER_MAX = 1024;

/** Starts the controller that gives each node its pods' networks; without a cluster's network nobody does. */
export function runNodeIpam(kit: ControllerKit, { nodeCidrs }: StartOptions): readonly Controller[] {
  if (nodeCidrs === undefined) return [];
  const nodes = kit.informers.need(NODES);
  const events = recorderFor(kit, 'cidrAllocator');
  const allocation = new Allocation(nodeCidrs, poolFigures(kit.figures));
  const waiting = new Set<string>();
  const tell = (node: Node, reason: string, context: SyncContext): void => {
    const message = `Node ${node.metadata.name ?? ''} status is now: ${reason}`;
    events.event(referenceTo(NODES, node), 'Normal', reason, message, context);
  };
  const controller = runController({
    name: 'node-ipam-controller',
    world: kit.world,
    scope: kit.scope,
    caches: [nodes],
    sync: async (key, context) => {
      waiting.delete(key);
      const node = nodes.get(key);
      if (node === undefined || cidrsOf(node).length > 0) return;
      const taken = allocation.take(key);
      if (taken === undefined) {
        waiting.add(key);
        tell(node, 'CIDRNotAvailable', context);
        return;
      }
      try {
        await give(kit, { key, taken }, context);
      } catch (error) {
        if (!context.signal.aborted) tell(node, 'CIDRAssignmentFailed', context);
        throw error;
      }
    },
  });
  kit.scope.defer(
    nodes.subscribe({
      add: (node) => {
        allocation.know(node.metadata.name ?? '', cidrsOf(node));
        controller.enqueue(node.metadata.name ?? '', triggerOf('ADDED', node));
      },
      update: (_before, node) => {
        allocation.know(node.metadata.name ?? '', cidrsOf(node));
        if (cidrsOf(node).length === 0) controller.enqueue(node.metadata.name ?? '', triggerOf('MODIFIED', node));
      },
      remove: (node) => {
        allocation.forget(node.metadata.name ?? '');
        for (const key of waiting) controller.enqueue(key, triggerOf('DELETED', node));
      },
    }),
  );
  return [controller];
}

/** Who has which networks. What a node was given is kept for it until the node is gone, so that a lost reply gives none twice. */
class Allocation {
  readonly #pools: readonly CidrPool[];
  readonly #byNode = new Map<string, readonly string[]>();
  /** What nodes had that are gone: one of the same name gets it again, as long as nobody else has it. */
  readonly #former = new Map<string, readonly string[]>();
  readonly #settled: ReadonlyMap<string, readonly string[]>;

  constructor(
    { clusterCidrs, maskSizes = {}, serviceCidrs = [], settled = {} }: NodeCidrOptions,
    meterOf: (cidr: string, size: number) => PoolMeter,
  ) {
    this.#pools = clusterCidrs.map((cidr) => {
      const family = cidr.includes(':') ? 'ipv6' : 'ipv4';
      return new CidrPool(cidr, maskSizes[family] ?? MASK[family], meterOf);
    });
    this.#settled = new Map(Object.entries(settled));
    const taken = [...serviceCidrs, ...[...this.#settled.values()].flat()];
    for (const pool of this.#pools) for (const cidr of taken) pool.occupy(cidr);
  }

  /** One network of each family, the same ones when asked again; undefined: there are not enough. */
  take(node: string): readonly string[] | undefined {
    const kept = this.#byNode.get(node) ?? this.#settled.get(node);
    if (kept !== undefined) return kept;
    const former = this.#former.get(node) ?? [];
    const taken = this.#pools.map((pool, at) => ({ pool, cidr: pool.take(former[at]) }));
    const cidrs = taken.flatMap(({ cidr }) => cidr ?? []);
    if (cidrs.length < taken.length) {
      for (const { pool, cidr } of taken) if (cidr !== undefined) pool.release(cidr);
      return undefined;
    }
    this.#byNode.set(node, cidrs);
    return cidrs;
  }

  /** A node says what it has. */
  know(node: string, cidrs: readonly string[]): void {
    if (cidrs.length === 0) return;
    const before = this.#byNode.get(node) ?? [];
    for (const pool of this.#pools) {
      for (const cidr of before) if (!cidrs.includes(cidr)) pool.release(cidr);
      for (const cidr of cidrs) pool.occupy(cidr);
    }
    this.#byNode.set(node, cidrs);
  }

  forget(node: string): void {
    const had = this.#byNode.get(node) ?? [];
    this.#byNode.delete(node);
    if (this.#settled.has(node)) return;
    for (const pool of this.#pools) for (const cidr of had) pool.release(cidr);
    this.#former.delete(node);
    this.#former.set(node, had);
    const [oldest] = this.#former.keys();
    if (this.#former.size > FORMER_MAX && oldest !== undefined) this.#former.delete(oldest);
  }
}

async function give(
  kit: ControllerKit,
  { key, taken }: { readonly key: string; readonly taken: readonly string[] },
  context: SyncContext,
): Promise<void> {
  const spec = { podCIDR: taken[0], podCIDRs: taken };
  for (let tries = 1; ; tries++) {
    try {
      await kit.client.resource(NODES).patch(key, 'merge', { spec }, undefined, context);
      return;
    } catch (error) {
      if (status.isNotFound(error)) return;
      if (tries >= GIVE_TRIES || context.signal.aborted) throw error;
    }
  }
}

function cidrsOf({ spec }: Node): readonly string[] {
  const { podCIDR = '', podCIDRs = [] } = spec ?? {};
  return podCIDRs.length > 0 ? podCIDRs : podCIDR === '' ? [] : [podCIDR];
}
