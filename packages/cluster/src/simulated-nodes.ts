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
  readonly world: World;
  readonly scope: Scope;
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
  const clientWorld = { ...world, log: world.log.named('kubelet') };
  return startNodeFleet({
    ...clientWorld,
    ...fleet,
    runtime: (_name, index) => createSimulatedRuntime({ clock, random, podRange: podRange(index) }),
    events: createEventRecorders({ client, world: clientWorld, component: 'kubelet', scope }),
    objects: createObjectReader(client, clientWorld, scope),
  }).kubelets;
}

/** Resolves when all nodes named are Ready in the API. A single node is asked for by name: a kubelet may read no other. */
export async function untilNodesReady(
  client: Client,
  names: readonly string[],
  until: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  if (names.length === 0) return;
  const waiting = new Set(names);
  const find = (node: Node): true | undefined => {
    if (isNodeReady(node)) waiting.delete(node.metadata.name ?? '');
    return waiting.size === 0 ? true : undefined;
  };
  const one = names.length === 1 ? { fieldSelector: `metadata.name=${names[0]}` } : {};
  await firstSeen(client.resource(NODES), { ...one, find }, until);
}
