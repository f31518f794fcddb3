import { internalAddresses, NODES } from '@binnacle/api';
import type { Node } from '@binnacle/api/core/v1';
import { inRanges } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { createInformer } from '@binnacle/client';
import type { Client, ClientWorld } from '@binnacle/client';
import { decidePodRoutes } from '@binnacle/network';
import type { NodePlace, PodNetwork, PodNetworkMode } from '@binnacle/network';
import { RuleKeeper } from './rule-keeper.ts';
import type { RuleReport } from './rule-keeper.ts';

/** Ways from one node to the pods of all others. */
export interface PodRouteOptions {
  readonly client: Client;
  readonly world: ClientWorld;
  readonly scope: Scope;
  readonly network: PodNetwork;
  readonly mode: PodNetworkMode;
  /** CIDRs of nodes that are gone to so; others are where the machine's own ways lead. Absent: all. */
  readonly neighbours?: readonly string[];
  readonly nodeName: string;
  /** Changes are gathered this long, counted from the last time. */
  readonly minSyncMs: number;
}

/** Ways that are kept until the scope ends. What was made stays: pods are reached while nobody looks after it. */
export interface RunningPodRoutes {
  readonly report: RuleReport;
  /** The first ways are there. */
  whenSynced(): Promise<void>;
  /** Somebody else had a hand in them: all are made again. */
  resync(): void;
}

/** Follows nodes, their InternalIPs and ranges of pods, and keeps this node's ways as they say. */
export function runPodRoutes({
  client,
  world,
  scope,
  network,
  mode,
  neighbours,
  nodeName,
  minSyncMs,
}: PodRouteOptions): RunningPodRoutes {
  const places = new Map<string, NodePlace>();
  const keep = async (): Promise<void> => {
    const self = places.get(nodeName);
    // A node without pods has nobody to be answered; it is looked at again when it has.
    if (self === undefined || self.addresses.length === 0 || self.podRanges.length === 0) return;
    const others = [...places.values()].filter((place) => isNeighbour(place, neighbours));
    const { routes, refused } = decidePodRoutes(self, others, mode);
    for (const one of refused) world.log.warn('the pods of a node are not reached', { ...one });
    await network.keep(self, routes);
  };
  const keeper = new RuleKeeper({
    world,
    minSyncMs,
    replace: keep,
    change: keep,
    complaint: "the ways to other nodes' pods were not taken",
  });
  const nodes = createInformer(client, NODES, world);
  const set = (node: Node): void => {
    const place = placeOf(node);
    if (isSame(places.get(place.name), place)) return;
    places.set(place.name, place);
    keeper.wake();
  };
  nodes.subscribe({
    add: set,
    update: (_before, node) => set(node),
    remove: ({ metadata: { name = '' } }) => {
      if (places.delete(name)) keeper.wake();
    },
  });
  nodes.start(scope);
  scope.run('pod routes', async (signal) => {
    await nodes.whenSynced(signal);
    await keeper.run(signal);
  });
  return {
    get report() {
      return keeper.report;
    },
    whenSynced: () => keeper.whenSynced(),
    resync: () => keeper.resync(),
  };
}

function isNeighbour({ addresses }: NodePlace, ranges: readonly string[] | undefined): boolean {
  return ranges === undefined || addresses.some(inRanges(ranges));
}

function placeOf(node: Node): NodePlace {
  const { metadata, spec } = node;
  const podRanges = spec?.podCIDRs ?? (spec?.podCIDR === undefined ? [] : [spec.podCIDR]);
  return { name: metadata.name ?? '', addresses: internalAddresses(node), podRanges };
}

/** Nodes tell of themselves every few seconds: hardly ever something new. */
function isSame(had: NodePlace | undefined, has: NodePlace): boolean {
  return had?.addresses.join() === has.addresses.join() && had.podRanges.join() === has.podRanges.join();
}
