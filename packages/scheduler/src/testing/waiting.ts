import type { ClusterEvent, Plugin } from '../plan/framework.ts';
import type { PodDemand } from '../plan/demand.ts';
import { SleepingPods } from '../queue/sleeping-pods.ts';
import { awaitedNames, ProfileQuestion } from '../queue/wake-rules.ts';
import { queuedPod } from './queued.ts';

/** A pod that these plugins refused. */
export interface Refused {
  readonly plugins: ReadonlyMap<string, Plugin>;
  readonly demand: PodDemand;
  readonly refusedBy: ReadonlySet<string>;
}

/** Whether an event wakes the pod where it sleeps. */
export function eventMayHelp({ plugins, demand, refusedBy }: Refused, event: ClusterEvent): boolean {
  const sleeping = new SleepingPods();
  sleeping.add({ pod: queuedPod(demand, { refusedBy }), until: Infinity }, awaitedNames(plugins, demand, refusedBy));
  return sleeping.helpedBy(new ProfileQuestion(plugins, event)).length > 0;
}
