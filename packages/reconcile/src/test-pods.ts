import { createSeededRandom, Scope, VirtualClock } from '@binnacle/base';
import { PODS, REPLICA_SETS } from '@binnacle/api';
import type { ReplicaSet } from '@binnacle/api/apps/v1';
import { createClient } from '@binnacle/client';
import type { EventRecorder } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import { controllerReference } from './owner.ts';
import type { SyncContext } from './run-controller.ts';

/** An API server with a replica set and pods around it, for the tests of what touches pods. */
export function setUpPods() {
  const clock = new VirtualClock();
  const wire = overFaultyNetwork(createMemoryApi({ clock, random: createSeededRandom(9) }), clock);
  const client = createClient(wire);
  const events: string[] = [];
  const recorder: EventRecorder = { event: (...facts) => events.push(`${facts[2]}: ${facts[3]}`) };
  const context: SyncContext = {
    signal: new Scope('test').signal,
    cause: { id: '1', component: 'test', request: 'sync' },
    requeueAfter: () => undefined,
    postpone: () => undefined,
  };
  const spec = { selector: { matchLabels: { a: 'b' } }, replicas: 1 };
  const owner: ReplicaSet = wire.seed(REPLICA_SETS, { metadata: { name: 'web', namespace: 'ns' }, spec });
  const ownerReferences = [controllerReference(REPLICA_SETS, owner)];
  const pod = (name: string, labels: { [key: string]: string }, owned = true) =>
    wire.seed(PODS, {
      metadata: { name, namespace: 'ns', labels, ...(owned ? { ownerReferences } : {}) },
      spec: { containers: [{ name: 'c', image: 'x' }] },
    });
  return { clock, wire, client, events, recorder, context, owner, pod, ownerReferences };
}
