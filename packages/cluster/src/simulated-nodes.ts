import { isNodeReady, NODES } from '@binnacle/api';
import type { Node } from '@binnacle/api/core/v1';
import type { Clock, Scope } from '@binnacle/base';
import { createEventRecorders } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { createObjectReader, startNodeFleet } from '@binnacle/kubelet';
import type { Kubelet, KubeletConfig } from '@binnacle/kubelet';
import { createSimulatedRuntime } from '@binnacle/runtime/simulated';
import { firstSeen } from './first-seen.ts';
import type { World } from './world.ts';

/** How many nodes that run nothing, and what their names begin with (`node-` where absent). */
export interface SimulatedNodesOptions {
  readonly count: number;
  readonly namePrefix?: string;
  readonly client: Client;
  /** Where they differ from what kubelets do by default. */
  readonly config?: Partial<KubeletConfig>;
  /** What the process was started with, for `/flagz`, by the flags' names. Absent: it is not told. */
  readonly flags?: ReadonlyMap<string, string>;
  readonly world: World;
  readonly scope: Scope;
}

/** Upstream's bound of the Events that wait in one kubelet, and ours of those that wait in all kubelets of a process. */
const WAITING_OF_NODE = 1000;
const WAITING_MAX = 16_384;
/** So many wait anyway. */
const LEAST_WAITING = 4096;
/** Larger fleets are there for their numbers: Events beyond what a recorder lets wait of itself would cost more than they tell. */
const TOLD_NODES_MAX = 100;

/**
 * How many Events of so many kubelets may wait: they are written one after the other, behind what they tell of, and on a disk
 * pods start faster than that. Undefined: as many as of any other component.
 */
export function waitingEvents(nodes: number): number | undefined {
  const own = nodes * WAITING_OF_NODE;
  return nodes > TOLD_NODES_MAX || own <= LEAST_WAITING ? undefined : Math.min(own, WAITING_MAX);
}

/** Pod addresses of a simulated node: a /24 of 10.64.0.0/10 each. */
function podRange(index: number): string {
  return `10.${64 + (index >> 8)}.${index & 0xff}.0/24`;
}

/** Starts simulated nodes: real kubelets over runtimes in which nothing runs. */
export function startSimulatedNodes(options: SimulatedNodesOptions): readonly Kubelet[] {
  const { world, ...fleet } = options;
  const { scope, client } = fleet;
  const { clock, random } = world;
  const waitingMax = waitingEvents(options.count);
  const clientWorld = { ...world, log: world.log.named('kubelet') };
  return startNodeFleet({
    ...clientWorld,
    ...fleet,
    runtime: (_name, index) => createSimulatedRuntime({ clock, random, podRange: podRange(index) }),
    events: createEventRecorders({
      client,
      world: clientWorld,
      component: 'kubelet',
      scope,
      ...(waitingMax === undefined ? {} : { waitingMax }),
    }),
    objects: createObjectReader(client, clientWorld, scope),
  }).kubelets;
}

/** Resolves when all nodes named are Ready in the API, or `are` what is asked for. A single node is asked for by name: a kubelet may read no other. */
export async function untilNodesReady(
  client: Client,
  names: readonly string[],
  until: { readonly clock: Clock; readonly signal: AbortSignal; readonly are?: (node: Node) => boolean },
): Promise<void> {
  if (names.length === 0) return;
  const { are = isNodeReady } = until;
  const waiting = new Set(names);
  const find = (node: Node): true | undefined => {
    if (are(node)) waiting.delete(node.metadata.name ?? '');
    return waiting.size === 0 ? true : undefined;
  };
  const one = names.length === 1 ? { fieldSelector: `metadata.name=${names[0]}` } : {};
  await firstSeen(client.resource(NODES), { ...one, find }, until);
}
