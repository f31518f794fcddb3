import { availableInMs, isPodReady, isPodTerminal, isPodTerminating } from '@binnacle/api';
import type { Rollout } from '@binnacle/base';
import type { StatefulSet } from '@binnacle/api/apps/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { scaledValue } from '@binnacle/machinery';
import { ordinalOf, ordinalsOf, revisionOfPod } from './identity.ts';
import type { SetRevision } from './identity.ts';

/** A set, its revisions, its pods. */
export interface SetSeen {
  readonly set: StatefulSet;
  readonly current: SetRevision;
  readonly update: SetRevision;
  readonly pods: readonly Pod[];
  readonly nowMs: number;
  /** The feature gate MaxUnavailableStatefulSet: whether `maxUnavailable` of a set counts. */
  readonly maySeveralRoll: boolean;
}

/** What one sync does to pods, in this order. */
export interface SetPlan {
  /** Pending and running pods whose labels and claims are looked after. */
  readonly tend: readonly Pod[];
  /** Ordinals to make, each from a revision. */
  readonly create: readonly { readonly ordinal: number; readonly revision: SetRevision }[];
  /** Pods beyond the ordinals, whose claims may go with them. */
  readonly condemned: readonly Pod[];
  readonly remove: readonly Pod[];
  /** With the gate: how far a set that nothing else holds up is from what it may lack. */
  readonly rollout?: Rollout;
}

/** At most this many pods are made in one sync; the next one goes on. */
const BURST = 500;

const NOTHING: SetPlan = { tend: [], create: [], condemned: [], remove: [] };

type UpdatePlan = Pick<SetPlan, 'remove' | 'rollout'>;

const HELD: UpdatePlan = { remove: [] };

/**
 * Ordered: one step at a time, lowest ordinal first; whatever is not running, ready and available holds all further
 * steps. Parallel: all at once. When every ordinal is as it should be, those beyond go, highest first, and only then
 * the update moves on.
 */
export function planSet(seen: SetSeen): SetPlan {
  if (seen.set.metadata.deletionTimestamp !== undefined) return NOTHING;
  const ordered = seen.set.spec.podManagementPolicy !== 'Parallel';
  const { byOrdinal, condemned } = sortPods(seen);
  const replicas: Pod[] = [];
  const tend: Pod[] = [];
  const create: SetPlan['create'][number][] = [];
  const ended: Pod[] = [];
  const { start, end } = ordinalsOf(seen.set);
  for (let ordinal = start; ordinal < end; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) create.push({ ordinal, revision: revisionFor(seen, ordinal) });
    else {
      replicas.push(pod);
      // Whoever ended, for whatever reason, is made anew; also what a kubelet rejected.
      if (!isPodTerminal(pod)) tend.push(pod);
      else if (!isPodTerminating(pod)) ended.push(pod);
    }
    const blocked = ordered && (pod === undefined || !isHealthy(seen, pod));
    if (blocked || create.length === BURST) return { ...NOTHING, tend, create, remove: ended };
  }
  const missing = create.length;
  const beyond = planCondemned(seen, { replicas, condemned, ordered });
  const { remove, ...rollout } =
    ordered && condemned.length > 0 ? HELD : planUpdate(seen, { byOrdinal, replicas, missing, ordered });
  return { tend, create, condemned, remove: [...ended, ...beyond, ...remove], ...rollout };
}

/** Until the next pod counts as available, ms; undefined when none is waiting for that. */
export function nextAvailableMs({ set, pods, nowMs }: SetSeen): number | undefined {
  let soonest: number | undefined;
  for (const pod of pods) {
    const wait = availableInMs(pod, set.spec.minReadySeconds ?? 0, nowMs);
    if (wait !== undefined && wait > 0) soonest = Math.min(wait, soonest ?? wait);
  }
  return soonest;
}

interface Sorted {
  readonly byOrdinal: ReadonlyMap<number, Pod>;
  /** Highest ordinal first. */
  readonly condemned: readonly Pod[];
}

function sortPods({ set, pods }: SetSeen): Sorted {
  const { start, end } = ordinalsOf(set);
  const byOrdinal = new Map<number, Pod>();
  const condemned: { readonly ordinal: number; readonly pod: Pod }[] = [];
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod.metadata.name ?? '');
    if (ordinal === undefined) continue;
    if (ordinal >= start && ordinal < end) byOrdinal.set(ordinal, pod);
    else condemned.push({ ordinal, pod });
  }
  return { byOrdinal, condemned: condemned.sort((a, b) => b.ordinal - a.ordinal).map(({ pod }) => pod) };
}

/** Below the partition, and while the old way of rolling has not come so far, a pod is made as it was. */
function revisionFor({ set, current, update }: SetSeen, ordinal: number): SetRevision {
  const { type = 'RollingUpdate', rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type !== 'RollingUpdate') return update;
  const { start } = ordinalsOf(set);
  const kept = rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
  return ordinal < start + kept ? current : update;
}

function planCondemned(
  seen: SetSeen,
  pods: { readonly replicas: readonly Pod[]; readonly condemned: readonly Pod[]; readonly ordered: boolean },
): readonly Pod[] {
  const { condemned, ordered } = pods;
  if (!ordered) return condemned.filter((pod) => !isPodTerminating(pod));
  const [highest] = condemned;
  if (highest === undefined || isPodTerminating(highest)) return [];
  // It never will be healthy, and runs nothing that an order could protect. (Upstream waits for ever, with two of them.)
  if (isPodTerminal(highest)) return [highest];
  // One that is not healthy may hold others back, but not its own going.
  const firstUnhealthy = [...pods.replicas, ...[...condemned].reverse()].find((pod) => !isHealthy(seen, pod));
  return isHealthy(seen, highest) || highest === firstUnhealthy ? [highest] : [];
}

interface Rolling {
  readonly byOrdinal: ReadonlyMap<number, Pod>;
  readonly replicas: readonly Pod[];
  readonly missing: number;
  readonly ordered: boolean;
}

/** Pods of another revision that may go now. */
function planUpdate(seen: SetSeen, pods: Rolling): UpdatePlan {
  const { type = 'RollingUpdate', rollingUpdate } = seen.set.spec.updateStrategy ?? {};
  if (type !== 'RollingUpdate') return HELD;
  const from = ordinalsOf(seen.set).start + (rollingUpdate?.partition ?? 0);
  return seen.maySeveralRoll
    ? planAsMany(seen, { ...pods, from })
    : { remove: planNext(seen, { byOrdinal: pods.byOrdinal, from }) };
}

/**
 * One after the other from the highest ordinal down, each when all above are updated and available, however broken those
 * below are: as v1.36 does it, in parallel sets too.
 */
function planNext(
  seen: SetSeen,
  { byOrdinal, from }: { readonly byOrdinal: ReadonlyMap<number, Pod>; readonly from: number },
): readonly Pod[] {
  for (let ordinal = ordinalsOf(seen.set).end - 1; ordinal >= from; ordinal--) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined || isPodTerminating(pod) || isPodTerminal(pod)) return [];
    if (revisionOfPod(pod) !== seen.update.name) return [pod];
    if (!isAvailable(seen, pod)) return [];
  }
  return [];
}

/** As many as may be unavailable, highest ordinal first; in parallel sets those of them that are so already are free. */
function planAsMany(seen: SetSeen, pods: Rolling & { readonly from: number }): UpdatePlan {
  const { replicas, missing, ordered, from } = pods;
  const unavailable = replicas.filter((pod) => !isHealthy(seen, pod)).length + missing;
  const most = maxUnavailableOf(seen.set);
  let budget = most - unavailable;
  const remove: Pod[] = [];
  for (const pod of [...replicas].reverse()) {
    if ((ordinalOf(seen.set, pod.metadata.name ?? '') ?? 0) < from) break;
    if (isPodTerminating(pod) || isPodTerminal(pod) || revisionOfPod(pod) === seen.update.name) continue;
    // Without this a bad template would block its own repair. It is what upstream does from v1.37 on; v1.36 closed the gate,
    // since it waited for such pods for ever.
    const isFree = !ordered && !isHealthy(seen, pod);
    if (!isFree && budget <= 0) continue;
    if (!isFree) budget--;
    remove.push(pod);
  }
  return { remove, rollout: { policy: ordered ? 'OrderedReady' : 'Parallel', most, unavailable } };
}

function maxUnavailableOf({ spec }: StatefulSet): number {
  const given = spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1;
  // Rounded down, as upstream does it, whatever the field's description says.
  return Math.max(1, scaledValue(given, spec.replicas ?? 1, 'down') ?? 1);
}

/** Available, and not going. */
export function isHealthy(seen: SetSeen, pod: Pod): boolean {
  return isAvailable(seen, pod) && !isPodTerminating(pod);
}

/** Running, and ready for long enough. */
export function isAvailable({ set, nowMs }: SetSeen, pod: Pod): boolean {
  if (pod.status?.phase !== 'Running' || !isPodReady(pod)) return false;
  return availableInMs(pod, set.spec.minReadySeconds ?? 0, nowMs) === 0;
}
