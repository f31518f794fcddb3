import type { ReplicaSet } from '@binnacle/api/apps/v1';
import { setsToForget } from './cleanup.ts';
import { isRollingUpdate } from './limits.ts';
import { growNewSet, shrinkOldSets, stopOldSets } from './rollout.ts';
import type { Resize } from './rollout.ts';
import { allSets } from './replica-sets.ts';
import type { Seen } from './replica-sets.ts';
import { isScalingEvent, scaleSets } from './scaling.ts';

/** What one sync does to replica sets; the status follows whatever is done. */
export interface Plan {
  /** Make the set for the current template. Nothing else happens in that sync. */
  readonly createNewSet: boolean;
  readonly resize: readonly Resize[];
  readonly forget: readonly ReplicaSet[];
  /** Paused or scaling: counts only, progress is not judged. */
  readonly countOnly: boolean;
}

export interface StepInput extends Seen {
  /** Whether pods of old sets still exist; only Recreate asks. */
  readonly oldPodsRunning: () => boolean;
  readonly complete: boolean;
}

type Step = (input: StepInput) => Partial<Plan> | undefined;

/** In order; the first that answers decides. */
const STEPS: readonly Step[] = [scaleWhilePaused, scaleWhenAsked, rollOver, recreate];

const NOTHING_TO_DO: Plan = { createNewSet: false, resize: [], forget: [], countOnly: false };

/** The plan for a deployment that is not being deleted. */
export function planDeployment(input: StepInput): Plan {
  for (const step of STEPS) {
    const plan = step(input);
    if (plan !== undefined) return { ...NOTHING_TO_DO, ...plan };
  }
  return NOTHING_TO_DO;
}

function scaleWhilePaused(input: StepInput): Partial<Plan> | undefined {
  if (input.deployment.spec.paused !== true) return undefined;
  return { resize: scaleSets(input), forget: setsToForget(input), countOnly: true };
}

function scaleWhenAsked(input: StepInput): Partial<Plan> | undefined {
  return isScalingEvent(input) ? { resize: scaleSets(input), countOnly: true } : undefined;
}

function rollOver(input: StepInput): Partial<Plan> | undefined {
  if (!isRollingUpdate(input.deployment)) return undefined;
  if (input.newSet === undefined) return { createNewSet: true };
  const grow = growNewSet(input);
  if (grow.length > 0) return { resize: grow };
  const shrink = shrinkOldSets(input);
  if (shrink.length > 0) return { resize: shrink };
  return { forget: input.complete ? setsToForget(input) : [] };
}

function recreate(input: StepInput): Partial<Plan> | undefined {
  const stop = stopOldSets(input);
  if (stop.length > 0) return { resize: stop };
  if (input.oldPodsRunning()) return {};
  if (input.newSet === undefined) return { createNewSet: true };
  const grow = growNewSet(input);
  if (grow.length > 0) return { resize: grow };
  return { forget: input.complete ? setsToForget(input) : [] };
}

/** The sets as they will be when the plan's sizes are written. */
export function resized(seen: Seen, written: readonly ReplicaSet[]): Seen {
  const byUid = new Map(written.map((set) => [set.metadata.uid, set]));
  const current = (set: ReplicaSet): ReplicaSet => byUid.get(set.metadata.uid) ?? set;
  const newSet = seen.newSet === undefined ? undefined : current(seen.newSet);
  return {
    deployment: seen.deployment,
    newSet,
    oldSets: allSets(seen)
      .filter((s) => s !== seen.newSet)
      .map(current),
  };
}
