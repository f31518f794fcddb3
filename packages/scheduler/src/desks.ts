import { assert } from '@binnacle/base';
import type { SchedulerMeasures } from '@binnacle/base';
import type { EventRecorder } from '@binnacle/client';
import { SchedulerConfigError } from './errors.ts';
import type { Handle, Profile } from './handle.ts';
import type { ClusterEvent, QueuedPod } from './plan/framework.ts';
import type { PodDemand } from './plan/demand.ts';
import { makePlugins } from './cycle/make-plugins.ts';
import type { PluginSet } from './plan/plugin-set.ts';
import { defaultProfile } from './profile.ts';
import { ProfileMeter } from './plan/profile-meter.ts';
import { awaitedNames, ProfileQuestion, reachOfAll } from './queue/wake-rules.ts';
import type { WakeQuestion } from './queue/wake-rules.ts';

/** What belongs to one profile. */
export interface Desk {
  readonly plugins: PluginSet;
  readonly recorder: EventRecorder;
}

/** One desk per `schedulerName`: who schedules which pods. */
export class Desks {
  readonly #byName: ReadonlyMap<string, Desk>;

  /** Makes all plugins, those of the default profile where nobody names any; `measures`: who keeps score of them. Throws SchedulerConfigError. */
  constructor(
    profiles: readonly Profile[] = [defaultProfile()],
    handleFor: (profile: string) => Handle,
    measures?: SchedulerMeasures,
  ) {
    this.#byName = new Map(
      profiles.map((profile) => {
        const handle = handleFor(profile.schedulerName);
        const about = { profile: profile.schedulerName, now: () => handle.clock.monotonic() };
        const meter = measures === undefined ? undefined : new ProfileMeter(measures, about);
        const plugins = makePlugins(profile, handle, meter);
        return [profile.schedulerName, { plugins, recorder: handle.events }];
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

  /** Puts an event to the plugins of all profiles. */
  ask(event: ClusterEvent): WakeQuestion {
    const questions = new Map(
      [...this.#byName.values()].map((desk) => [desk, new ProfileQuestion(desk.plugins.byName, event)]),
    );
    return {
      reach: (refusedBy) => reachOfAll([...questions.values()].map((question) => question.reach(refusedBy))),
      mayHelp: (demand, refusedBy) => questions.get(this.of(demand))?.mayHelp(demand, refusedBy) ?? true,
    };
  }

  /** The names under which a pod that these plugins refused waits for events. */
  waitsFor(demand: PodDemand, refusedBy: ReadonlySet<string>): readonly string[] {
    return awaitedNames(this.of(demand).plugins.byName, demand, refusedBy);
  }
}
