import { assert } from '@binnacle/base';
import type { EventRecorder } from '@binnacle/client';
import { SchedulerConfigError } from './errors.ts';
import type { Handle, Profile } from './handle.ts';
import type { ClusterEvent, QueuedPod } from './plan/framework.ts';
import type { PodDemand } from './plan/demand.ts';
import { makePlugins } from './cycle/make-plugins.ts';
import type { PluginSet } from './plan/plugin-set.ts';
import { eventMayHelp, listensTo } from './queue/wake-rules.ts';

/** What belongs to one profile. */
export interface Desk {
  readonly plugins: PluginSet;
  readonly recorder: EventRecorder;
}

/** One desk per `schedulerName`: who schedules which pods. */
export class Desks {
  readonly #byName: ReadonlyMap<string, Desk>;

  /** Makes all plugins. Throws SchedulerConfigError. */
  constructor(profiles: readonly Profile[], handleFor: (profile: string) => Handle) {
    this.#byName = new Map(
      profiles.map((profile) => {
        const handle = handleFor(profile.schedulerName);
        return [profile.schedulerName, { plugins: makePlugins(profile, handle), recorder: handle.events }];
      }),
    );
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  has(schedulerName: string | undefined): boolean {
    return this.#byName.has(schedulerName ?? 'default-scheduler');
  }

  /** The desk of a pod that `has` said yes to. */
  of(demand: PodDemand): Desk {
    const desk = this.#byName.get(demand.pod.spec.schedulerName ?? 'default-scheduler');
    assert(desk !== undefined, 'a pod of another scheduler came into the queue', { pod: demand.key });
    return desk;
  }

  /** The one order of the one queue. Throws SchedulerConfigError where the profiles differ in it. */
  sorter(): (a: QueuedPod, b: QueuedPod) => number {
    const sorters = [...this.#byName.values()].map((d) => d.plugins.queueSort);
    const names = new Set(sorters.map((s) => s.map((p) => p.name).join()));
    const [first] = sorters[0] ?? [];
    if (first?.queueSort === undefined || names.size !== 1 || sorters[0]?.length !== 1) {
      throw new SchedulerConfigError('every profile needs the same single plugin with queueSort');
    }
    return first.queueSort.bind(first);
  }

  /** Whether any of these plugins wants to hear of such events. */
  listens(event: ClusterEvent, refusedBy: ReadonlySet<string>): boolean {
    for (const { plugins } of this.#byName.values()) if (listensTo(plugins.byName, event, refusedBy)) return true;
    return false;
  }

  /** Whether an event may help a pod that these plugins refused. */
  mayHelp(event: ClusterEvent, demand: PodDemand, refusedBy: ReadonlySet<string>): boolean {
    return eventMayHelp({ plugins: this.of(demand).plugins.byName, demand, refusedBy }, event);
  }
}
