import { formatTime, messageOf } from '@binnacle/base';
import {
  controllerOf,
  formatSelector,
  NOTHING,
  selectorFromObject,
  SelectorError,
  status,
  storedSelector,
} from '@binnacle/machinery';
import type { KubeObject, Selector } from '@binnacle/machinery';
import { getPodCondition, isPodTerminal, isPodTerminating, POD_DISRUPTION_BUDGETS, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '@binnacle/api/policy/v1';
import { cacheKey, referenceTo } from '@binnacle/client';
import type { EventRecorder, Informer } from '@binnacle/client';
import {
  gatherMs,
  IN_NAMESPACE,
  OWNERSHIP_INDEXES,
  podStateChanged,
  runController,
  triggerOf,
} from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { NoControllerError, NoScaleError } from '../errors.ts';
import { SelectedPods } from '../selected-pods.ts';
import { budgetStatus, failedStatus, isRelative, overdue, recheckMs } from './decide.ts';
import { Scales } from './scales.ts';

const STALE = 'stale ';
/** A pod that was marked as a target and is there so long afterwards is no target any more. */
const STALE_MS = 2 * 60_000;

/** Starts the controller that tells how many pods of each budget may be evicted, and unmarks those that were not. */
export function runDisruptionController(kit: ControllerKit): Controller {
  const budgets = kit.informers.need(POD_DISRUPTION_BUDGETS, { indexes: OWNERSHIP_INDEXES });
  const pods = kit.informers.need(PODS);
  const chosen = new SelectedPods(pods);
  const scales = new Scales(kit);
  const budgetSync = new BudgetSync(kit, { budgets, chosen, scales, events: recorderFor(kit, 'controllermanager') });
  const controller = runController({
    name: 'disruption-controller',
    about: { group: 'policy', resource: 'poddisruptionbudgets' },
    world: kit.world,
    scope: kit.scope,
    caches: [budgets, pods, ...scales.caches],
    sync: (key, context) =>
      key.startsWith(STALE) ? unmark(kit, pods.get(key.slice(STALE.length)), context) : budgetSync.sync(key, context),
  });
  const followed = { kit, controller, budgets, pods, chosen };
  followBudgets(followed);
  followPods(followed);
  followScales(followed, scales);
  return controller;
}

interface Followed {
  readonly kit: ControllerKit;
  readonly controller: Controller;
  readonly budgets: Informer<PodDisruptionBudget>;
  readonly pods: Informer<Pod>;
  readonly chosen: SelectedPods;
}

function followBudgets({ kit, controller, budgets, chosen }: Followed): void {
  const follow = (event: string, budget: PodDisruptionBudget): void => {
    const { namespace = '' } = budget.metadata;
    chosen.set(cacheKey(budget), namespace, storedSelector(budget.spec.selector));
    controller.enqueue(cacheKey(budget), triggerOf(event, budget));
  };
  kit.scope.defer(
    budgets.subscribe({
      add: (budget) => follow('ADDED', budget),
      update: (_before, budget) => follow('MODIFIED', budget),
      remove: (budget) => {
        chosen.remove(cacheKey(budget));
        controller.enqueue(cacheKey(budget), triggerOf('DELETED', budget));
      },
    }),
  );
}

function followPods({ kit, controller, pods, chosen }: Followed): void {
  const wake = (event: string, pod: Pod): void => {
    const selecting = chosen.selectorsOf(pod);
    if (selecting.length === 0) return;
    const trigger = triggerOf(event, pod);
    for (const key of selecting) controller.enqueueAfter(key, gatherMs(chosen.countOf(key)), trigger);
  };
  const checkMark = (pod: Pod): void => {
    const marked = markedAtMs(pod);
    if (marked === undefined) return;
    const left = marked + STALE_MS - kit.world.clock.now();
    controller.enqueueAfter(STALE + cacheKey(pod), left, triggerOf('MODIFIED', pod));
  };
  kit.scope.defer(
    pods.subscribe({
      add: (pod) => {
        chosen.movePod(undefined, pod);
        wake('ADDED', pod);
        checkMark(pod);
      },
      update: (before, pod) => {
        chosen.movePod(before, pod);
        checkMark(pod);
        const relabelled = before.metadata.labels !== pod.metadata.labels;
        if (!relabelled && !podStateChanged(before, pod)) return;
        if (relabelled) wake('MODIFIED', before);
        wake('MODIFIED', pod);
      },
      remove: (pod) => {
        chosen.movePod(pod, undefined);
        wake('DELETED', pod);
      },
    }),
  );
}

/** How many there should be is part of the budget, and so is who says it: pods may be seen before their controller is. */
function followScales({ kit, controller, budgets }: Followed, scales: Scales): void {
  const wake = (event: string, owner: KubeObject, concerned: (budget: PodDisruptionBudget) => boolean): void => {
    for (const budget of budgets.byIndex(IN_NAMESPACE, owner.metadata.namespace ?? '')) {
      if (isRelative(budget) && concerned(budget)) controller.enqueue(cacheKey(budget), triggerOf(event, owner));
    }
  };
  for (const cache of scales.caches) {
    kit.scope.defer(
      cache.subscribe({
        add: (owner) => wake('ADDED', owner, hasFailed),
        update: (before, owner) => {
          if (before.spec.replicas !== owner.spec.replicas) wake('MODIFIED', owner, () => true);
        },
      }),
    );
  }
}

function hasFailed({ status: told }: PodDisruptionBudget): boolean {
  return told?.conditions?.some(({ reason }) => reason === 'SyncFailed') === true;
}

/** What a budget is judged by. */
interface Sources {
  readonly budgets: Informer<PodDisruptionBudget>;
  readonly chosen: Pick<SelectedPods, 'podsOf'>;
  readonly scales: Scales;
  readonly events: EventRecorder;
}

class BudgetSync {
  readonly #kit: ControllerKit;
  readonly #of: Sources;

  constructor(kit: ControllerKit, of: Sources) {
    this.#kit = kit;
    this.#of = of;
  }

  async sync(key: string, context: SyncContext): Promise<void> {
    const budget = this.#of.budgets.get(key);
    if (budget === undefined) return;
    const nowMs = this.#kit.world.clock.now();
    const at = { budget, nowMs, now: formatTime(nowMs) };
    let pods: readonly Pod[];
    try {
      // One that cannot be read throws.
      selectorOf(budget);
      pods = this.#of.chosen.podsOf(key);
    } catch (error) {
      const why = `Failed to get pods: ${messageOf(error)}`;
      this.#of.events.event(referenceTo(POD_DISRUPTION_BUDGETS, budget), 'Warning', 'NoPods', why, context);
      // Nobody knows whom it protects: no eviction in its name, until somebody writes it anew.
      await this.#report(budget, failedStatus({ ...at, pods: [] }, messageOf(error)), context);
      if (error instanceof SelectorError) return;
      throw error;
    }
    const seen = { ...at, pods };
    this.#tellOddities(seen, context);
    let expectedScale = 0;
    try {
      if (isRelative(budget)) expectedScale = await this.#of.scales.expectedOf(pods, context);
    } catch (error) {
      const why = `Failed to calculate the number of expected pods: ${messageOf(error)}`;
      const about = referenceTo(POD_DISRUPTION_BUDGETS, budget);
      this.#of.events.event(about, 'Warning', 'CalculateExpectedPodCountFailed', why, context);
      await this.#report(budget, failedStatus(seen, messageOf(error)), context);
      // Asking again changes nothing before a pod or its controller does.
      if (error instanceof NoControllerError || error instanceof NoScaleError) return;
      throw error;
    }
    await this.#report(budget, budgetStatus({ ...seen, expectedScale }), context);
    const wait = recheckMs(seen);
    if (wait !== undefined) context.requeueAfter(wait);
  }

  /** A conflict is an error: an eviction may just have been granted, and must not be forgotten. */
  async #report(budget: PodDisruptionBudget, after: PodDisruptionBudgetStatus, context: SyncContext): Promise<void> {
    if (after === budget.status) return;
    const client = this.#kit.client.resource(POD_DISRUPTION_BUDGETS, budget.metadata.namespace);
    await client.updateStatus({ ...budget, status: after }, undefined, context);
  }

  #tellOddities(
    seen: { readonly budget: PodDisruptionBudget; readonly pods: readonly Pod[]; readonly nowMs: number },
    context: SyncContext,
  ): void {
    const { budget, pods } = seen;
    const { events } = this.#of;
    const about = referenceTo(POD_DISRUPTION_BUDGETS, budget);
    for (const pod of overdue(seen)) {
      const why = `Pod was expected by PDB ${cacheKey(budget)} to be deleted but it wasn't`;
      events.event(referenceTo(PODS, pod), 'Warning', 'NotDeleted', why, context);
    }
    // Once for each version of the budget: repeating it with every pod that changes tells nothing new.
    if (budget.status?.observedGeneration === budget.metadata.generation) return;
    if (pods.length === 0) events.event(about, 'Normal', 'NoPods', 'No matching pods found', context);
    if (!isRelative(budget) || pods.every((pod) => controllerOf(pod) !== undefined)) return;
    const why = `Pods selected by this PodDisruptionBudget (selector: ${formatSelector(selectorOf(budget))}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
    events.event(about, 'Warning', 'UnmanagedPods', why, context);
  }
}

/** An absent selector selects nothing, an empty one all pods of the namespace. */
function selectorOf({ spec }: PodDisruptionBudget): Selector {
  return spec.selector === undefined ? NOTHING : selectorFromObject(spec.selector);
}

/** Since when the pod is marked as the target of a disruption that did not come, ms. */
function markedAtMs(pod: Pod): number | undefined {
  if (isPodTerminating(pod) || isPodTerminal(pod)) return undefined;
  const mark = getPodCondition(pod, 'DisruptionTarget');
  // What a kubelet ends takes as long as its grace: only then is it going.
  if (mark?.reason === 'TerminationByKubelet') return undefined;
  return mark?.status === 'True' ? Date.parse(mark.lastTransitionTime ?? '') : undefined;
}

async function unmark(kit: ControllerKit, pod: Pod | undefined, context: SyncContext): Promise<void> {
  const marked = pod === undefined ? undefined : markedAtMs(pod);
  if (pod === undefined || marked === undefined) return;
  const wait = marked + STALE_MS - kit.world.clock.now();
  if (wait > 0) return context.requeueAfter(wait);
  const { name = '', namespace, uid, resourceVersion, generation } = pod.metadata;
  const seen = generation === undefined ? {} : { observedGeneration: generation };
  const lastTransitionTime = formatTime(kit.world.clock.now());
  const conditions = (pod.status?.conditions ?? []).map((one) =>
    one.type === 'DisruptionTarget' ? { type: one.type, status: 'False' as const, lastTransitionTime, ...seen } : one,
  );
  const change = { metadata: { uid, resourceVersion }, status: { conditions } };
  try {
    const pods = kit.client.resource(PODS, namespace);
    await pods.patch(name, 'merge', change, { subresource: 'status' }, context);
  } catch (error) {
    if (!status.isNotFound(error)) throw error;
  }
}
