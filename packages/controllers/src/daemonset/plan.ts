import { scaledValue } from '@binnacle/machinery';
import { isPodAvailable, isPodReady, isPodTerminating } from '@binnacle/api';
import type { DaemonSet, DaemonSetStatus } from '@binnacle/api/apps/v1';
import type { Node, Pod } from '@binnacle/api/core/v1';
import { LABEL_REVISION } from '../controller-history.ts';
import { judgeNode, nodeOfPod } from './nodes.ts';

/** A set, all nodes, the set's pods, and the hash of the revision that is wanted. */
export interface DaemonSeen {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly hash: string;
  readonly nowMs: number;
  /** Whether a pod that failed on this node has to wait before the next try. */
  readonly isBackedOff: (node: string) => boolean;
}

/** What one sync does. */
export interface DaemonPlan {
  /** Names of nodes that get a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
  /** Pods that ended, with their node: told, and where not backed off also removed. */
  readonly ended: readonly { readonly pod: Pod; readonly node: string }[];
}

interface Place {
  readonly node: string;
  readonly shouldRun: boolean;
  readonly mayStay: boolean;
  /** Neither ended nor going. */
  readonly running: readonly Pod[];
  readonly ended: readonly Pod[];
  readonly going: readonly Pod[];
}

/** One pod on every node that should have one; then, as far as may be, of the wanted revision. */
export function planDaemons(seen: DaemonSeen): DaemonPlan {
  const create: string[] = [];
  const remove: Pod[] = [];
  const ended: { readonly pod: Pod; readonly node: string }[] = [];
  const places = placesOf(seen);
  const surges = limitsOf(seen.set, seen.nodes.length).surge > 0;
  for (const place of places) {
    const { node, running, going } = place;
    ended.push(...place.ended.map((pod) => ({ pod, node })));
    if (!place.mayStay) remove.push(...running, ...place.ended);
    else {
      if (!seen.isBackedOff(node)) remove.push(...place.ended);
      remove.push(...surplusOf(seen, running));
    }
    // With surge nobody is waited for who goes: a pod beside another is what the set asks for.
    const awaited = surges ? 0 : going.length;
    if (place.shouldRun && running.length + place.ended.length + awaited === 0) create.push(node);
  }
  const update = planUpdate(seen, places);
  return { create: [...create, ...update.create], remove: [...new Set([...remove, ...update.remove])], ended };
}

/** What the set reports. */
export function statusOf(seen: DaemonSeen, collisionCount: number): DaemonSetStatus {
  const { set } = seen;
  const counts = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 };
  for (const place of placesOf(seen)) {
    const [oldest] = [...place.running, ...place.ended, ...place.going].sort(byAge);
    if (!place.shouldRun) {
      if (oldest !== undefined) counts.misscheduled++;
      continue;
    }
    counts.desired++;
    if (oldest === undefined) continue;
    counts.current++;
    if (isPodReady(oldest)) counts.ready++;
    if (isAvailable(seen, oldest)) counts.available++;
    if (isUpdated(seen, oldest)) counts.updated++;
  }
  const conditions = set.status?.conditions;
  return {
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    observedGeneration: set.metadata.generation ?? 0,
    updatedNumberScheduled: counts.updated,
    numberAvailable: counts.available,
    numberUnavailable: counts.desired - counts.available,
    collisionCount,
    ...(conditions === undefined ? {} : { conditions }),
  };
}

/** Nodes in the order of their names, so that a restarted manager goes on where the one before was. */
function placesOf({ set, nodes, pods }: DaemonSeen): readonly Place[] {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = nodeOfPod(pod) ?? '';
    const there = byNode.get(node);
    if (there === undefined) byNode.set(node, [pod]);
    else there.push(pod);
  }
  const place = (node: string, verdict: { readonly shouldRun: boolean; readonly mayStay: boolean }): Place => {
    const there = byNode.get(node) ?? [];
    const left = there.filter((pod) => !isPodTerminating(pod));
    const hasEnded = (pod: Pod): boolean => pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';
    return {
      node,
      ...verdict,
      running: left.filter((pod) => !hasEnded(pod)),
      ended: left.filter(hasEnded),
      going: there.filter(isPodTerminating),
    };
  };
  const sorted = [...nodes].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  const places = sorted.map((node) => place(node.metadata.name ?? '', judgeNode(set, node)));
  const known = new Set(places.map(({ node }) => node));
  // A pod for a node that is gone before the pod was bound goes here; one that was bound goes with the pod collector.
  const lost = [...byNode].filter(
    ([node, there]) => !known.has(node) && there.some((pod) => (pod.spec.nodeName ?? '') === ''),
  );
  return [...places, ...lost.map(([node]) => place(node, { shouldRun: false, mayStay: false }))];
}

/** All pods of a node but the one, or with surge the two, that belong there. */
function surplusOf(seen: DaemonSeen, running: readonly Pod[]): readonly Pod[] {
  if (running.length <= 1) return [];
  const sorted = [...running].sort(byAge);
  if (limitsOf(seen.set, seen.nodes.length).surge === 0) return sorted.slice(1);
  const fresh = sorted.filter((pod) => isUpdated(seen, pod));
  const old = sorted.filter((pod) => !isUpdated(seen, pod));
  const [newOne] = fresh;
  const [oldOne] = old;
  const extra = [...fresh.slice(1), ...old.slice(1)];
  if (newOne === undefined || oldOne === undefined) return extra;
  // The old one goes as soon as it is of no use, or of no more use.
  return isPodReady(oldOne) && !isAvailable(seen, newOne) ? extra : [...extra, oldOne];
}

function planUpdate(seen: DaemonSeen, places: readonly Place[]): Pick<DaemonPlan, 'create' | 'remove'> {
  const { type = 'RollingUpdate' } = seen.set.spec.updateStrategy ?? {};
  if (type !== 'RollingUpdate') return { create: [], remove: [] };
  const desired = places.filter((place) => place.shouldRun).length;
  // An old pod that may only stay goes too, and leaves nobody behind.
  const updated = places.filter((place) => place.shouldRun || (place.mayStay && place.running.length > 0));
  const { surge, unavailable } = limitsOf(seen.set, desired);
  return surge > 0 ? planSurge(seen, updated, { most: surge, desired }) : planReplace(seen, updated, unavailable);
}

/** Old pods go: at once where they are of no use, else as many as may be unavailable. */
function planReplace(seen: DaemonSeen, wanted: readonly Place[], most: number): Pick<DaemonPlan, 'create' | 'remove'> {
  const useless: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const { running } of wanted) {
    const fresh = running.filter((pod) => isUpdated(seen, pod));
    const old = running.filter((pod) => !isUpdated(seen, pod));
    if (!running.some((pod) => isAvailable(seen, pod))) unavailable++;
    if (fresh.length > 0) continue;
    for (const pod of old) (isAvailable(seen, pod) ? candidates : useless).push(pod);
  }
  return { create: [], remove: [...useless, ...candidates.slice(0, Math.max(0, most - unavailable))] };
}

/**
 * New pods come beside the old ones: at once where those are of no use, else as many as may be too many. Where none may come,
 * an old one goes when it is of no use, or when more are available than there should be.
 */
function planSurge(
  seen: DaemonSeen,
  places: readonly Place[],
  { most, desired }: { readonly most: number; readonly desired: number },
): Pick<DaemonPlan, 'create' | 'remove'> {
  const urgent: string[] = [];
  const candidates: string[] = [];
  const useless: Pod[] = [];
  const spare: Pod[] = [];
  let surging = 0;
  let available = 0;
  for (const { node, shouldRun, running, going } of places) {
    const fresh = running.filter((pod) => isUpdated(seen, pod));
    const [old] = running.filter((pod) => !isUpdated(seen, pod));
    const counted = old ?? fresh[0];
    const isUseful = counted !== undefined && isAvailable(seen, counted);
    if (isUseful) available++;
    if (old === undefined) continue;
    if (fresh.length > 0) {
      if (!fresh.some((pod) => isAvailable(seen, pod))) surging++;
    } else if (!shouldRun) (isUseful ? spare : useless).push(old);
    else if (!going.some((pod) => isUpdated(seen, pod))) (isUseful ? candidates : urgent).push(node);
  }
  return {
    create: [...urgent, ...candidates.slice(0, Math.max(0, most - surging))],
    remove: [...useless, ...spare.slice(0, Math.max(0, available - desired))],
  };
}

function limitsOf(set: DaemonSet, wanted: number): { readonly unavailable: number; readonly surge: number } {
  const { maxUnavailable = 1, maxSurge = 0 } = set.spec.updateStrategy?.rollingUpdate ?? {};
  const surge = scaledValue(maxSurge, wanted, 'up') ?? 0;
  const unavailable = scaledValue(maxUnavailable, wanted, 'up') ?? 1;
  // Neither would mean that nothing ever moves.
  return { surge, unavailable: surge === 0 ? Math.max(1, unavailable) : unavailable };
}

function isUpdated({ hash }: DaemonSeen, pod: Pod): boolean {
  return pod.metadata.labels?.[LABEL_REVISION] === hash;
}

function isAvailable({ set, nowMs }: DaemonSeen, pod: Pod): boolean {
  return isPodAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);
}

/** Who is on its node comes before who only waits for it. */
function byAge(a: Pod, b: Pod): number {
  const keyOf = ({ metadata, spec }: Pod): string =>
    `${(spec.nodeName ?? '') === '' ? 1 : 0} ${metadata.creationTimestamp ?? ''} ${metadata.name ?? ''}`;
  return keyOf(a) < keyOf(b) ? -1 : 1;
}
