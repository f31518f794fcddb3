import { isNodeReady, NODES } from '@binnacle/api';
import type { Scope } from '@binnacle/base';
import { createEventRecorder } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { createObjectReader, startNodeFleet } from '@binnacle/kubelet';
import type { Kubelet } from '@binnacle/kubelet';
import { createSimulatedRuntime } from '@binnacle/runtime/simulated';
import type { World } from './world.ts';

/** How many nodes that run nothing, and what their names begin with (`node-` where absent). */
export interface SimulatedNodesOptions {
  readonly count: number;
  readonly namePrefix?: string;
  readonly client: Client;
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
    events: createEventRecorder({ client, world: clientWorld, component: 'kubelet', scope }),
    objects: createObjectReader(client, clientWorld, scope),
  }).kubelets;
}

/** Resolves when all nodes named are Ready in the API. A single node is asked for by name: a kubelet may read no other. */
export function untilNodesReady(client: Client, names: readonly string[], signal: AbortSignal): Promise<void> {
  const waiting = new Set(names);
  return new Promise((resolve, reject) => {
    if (waiting.size === 0) {
      resolve();
      return;
    }
    const handle = client.resource(NODES).watch(
      { resourceVersion: '0', ...(names.length === 1 ? { fieldSelector: `metadata.name=${names[0]}` } : {}) },
      {
        events(batch) {
          for (const { object } of batch) {
            if (isNodeReady(object)) waiting.delete(object.metadata.name ?? '');
          }
          if (waiting.size > 0) return;
          handle.stop();
          resolve();
        },
        end: (error) => {
          if (error !== undefined) reject(error);
        },
      },
      { signal },
    );
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
