/** The package's door for schedulers of one's own: `import { createScheduler } from 'binnacle/scheduler'`. */
import { Scope } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { createClient } from '@binnacle/client';
import { defaultProfile, startScheduler } from '@binnacle/scheduler';
import type { Explanation, PluginFactory, SchedulerHandle } from '@binnacle/scheduler';
import { openWire } from './host/open-wire.ts';
import { stderrLogger } from './host/process.ts';

export { DEFAULT_PLUGINS, defaultProfile, MAX_NODE_SCORE, PreemptionTale, scaleScores } from '@binnacle/scheduler';
export type { ResourceRef } from '@binnacle/api';
export type { Node, Pod } from '@binnacle/api/core/v1';
export type {
  Candidates,
  ClusterEvent,
  EnabledPlugin,
  EventAction,
  ExplainedPreemption,
  ExplainedRefusal,
  ExplainedScore,
  Explanation,
  ExtensionPoint,
  Failure,
  Handle,
  HostPort,
  Lister,
  MaybePromise,
  NodeScore,
  NodeTest,
  Plugin,
  PluginFactory,
  PodDemand,
  PostFilterResult,
  PreemptionFinding,
  PreFilterResult,
  QueuedPod,
  QueueingHint,
  Refusal,
  Request,
  Simulation,
  Snapshot,
} from '@binnacle/scheduler';

/** What a scheduler of one's own is made of. */
export interface CreateSchedulerOptions {
  /** How to reach the API server: a kubeconfig file, its current context. Absent: as the pod that this process is in. */
  readonly kubeconfig?: string;
  /** The pods to schedule: those with this `schedulerName`. */
  readonly schedulerName: string;
  /** Asked after the default ones; `weight` is that of the score. */
  readonly plugins: readonly (PluginFactory | { readonly factory: PluginFactory; readonly weight?: number })[];
  /** Log level, 0–10; lines go to stderr. */
  readonly v?: number;
}

/** A scheduler that runs in this process. */
export interface CustomScheduler {
  /** Why a pod (`namespace/name`) went where it went, or nowhere: every node, every score. */
  explain(pod: string): Explanation | undefined;
  readonly waiting: SchedulerHandle['waiting'];
  /** Ends it; pods that are being bound are waited for. */
  stop(): Promise<void>;
}

/** Starts a scheduler with the default plugins and one's own; resolves once it schedules. */
export async function createScheduler(options: CreateSchedulerOptions): Promise<CustomScheduler> {
  const { kubeconfig, schedulerName, plugins, v = 0 } = options;
  const log = stderrLogger(schedulerName, v);
  const scope = new Scope(schedulerName, { log });
  try {
    const wire = await openWire(kubeconfig, scope, { userAgent: `binnacle-scheduler/${schedulerName}`, log });
    const handle = startScheduler({
      client: createClient(wire),
      world: { clock: realClock, random: secureRandom, log },
      scope,
      profiles: [defaultProfile(schedulerName, plugins)],
    });
    await handle.whenReady(scope.signal);
    return {
      explain: (pod) => handle.explain(pod),
      get waiting() {
        return handle.waiting;
      },
      stop: () => scope.close(),
    };
  } catch (error) {
    await scope.close();
    throw error;
  }
}
