import { PODS, isPodReady, isPodTerminal, isPodTerminating, setCondition } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { Pod, PodCondition } from '@binnacle/api/core/v1';
import type { Eviction, PodDisruptionBudget, PodDisruptionBudgetStatus } from '@binnacle/api/policy/v1';
import { formatTime } from '@binnacle/base';
import { StatusError, checkPreconditions, matchesLabels, storedSelector, status } from '@binnacle/machinery';
import type { Condition, DeleteOptions } from '@binnacle/machinery';
import type { Responder, ResponderRequest } from '../../../ports/responder.ts';
import type { ServerWorld } from '../../../ports/world.ts';
import type { CacheReader } from '../../../ports/reader.ts';
import { success } from './success.ts';

type EvictionWorld = Pick<ServerWorld, 'cache' | 'loopback' | 'update' | 'clock'>;

const BUDGETS = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };
/** Evictions that the budget's controller has not confirmed yet. */
const UNCONFIRMED_MAX = 2000;
const ALLOWED = 'DisruptionAllowed';
const NOT_NOW = "Cannot evict pod as it would violate the pod's disruption budget.";
/** How long a caller should wait for a budget that is being worked on. */
const RETRY_SECONDS = 10;

/** A pod that changes while it is looked at is looked at again so often. */
const LOOKS_MAX = 20;

/** `pods/eviction`: a deletion that respects the pod's disruption budget. 429 when it does not allow one now. */
export function createEvictionHandler(world: EvictionWorld): Responder {
  return {
    async handle(request) {
      const eviction = request.body as Eviction;
      if (request.name !== (eviction.metadata.name ?? '')) {
        throw status.badRequest('name in URL does not match name in Eviction object');
      }
      const options = eviction.deleteOptions ?? {};
      const dryRun = request.dryRun || (options.dryRun ?? []).includes('All');
      for (let look = 1; ; look++) {
        const pod = await findPod(world, request, look);
        try {
          await evict(world, request, { pod, options, dryRun });
          return success();
        } catch (error) {
          const mayHaveGone = isFree(pod) && options.preconditions?.resourceVersion === undefined;
          if (!mayHaveGone || !status.isConflict(error) || look === LOOKS_MAX) throw error;
        }
      }
    },
  };
}

interface Evicted {
  readonly pod: Pod;
  readonly options: DeleteOptions;
  readonly dryRun: boolean;
}

/** As it is in the cache; after that may have been too old, as it is. */
async function findPod({ cache }: EvictionWorld, { namespace, name }: ResponderRequest, look: number): Promise<Pod> {
  const pod = look === 1 ? cache.get(PODS, namespace, name) : undefined;
  const found = pod ?? (await cache.getLive(PODS, namespace, name));
  if (found === undefined) throw status.notFound(PODS, name);
  return found as Pod;
}

/** Where its budget is not asked as the pod serves nobody, it is that very pod: it may begin to serve meanwhile. */
async function evict(world: EvictionWorld, request: ResponderRequest, evicted: Evicted): Promise<void> {
  const { pod, dryRun } = evicted;
  if (isFree(pod)) return deletePod(world, request, isOver(pod) ? evicted : asSeen(evicted));
  const budget = findBudget(pod, world.cache);
  if (budget === undefined) return deletePod(world, request, evicted);
  if (!isOutsideBudget(pod, budget)) {
    await take(world, { request, budget, dryRun });
    return deletePod(world, request, evicted);
  }
  try {
    await deletePod(world, request, asSeen(evicted));
  } catch (error) {
    const isOwn = evicted.options.preconditions?.resourceVersion === undefined;
    if (!isOwn || !status.isConflict(error)) throw error;
    throw tooMany(stillProcessed(budget), RETRY_SECONDS);
  }
}

/** The same, but only while the pod is as it was looked at. */
function asSeen({ pod, options, dryRun }: Evicted): Evicted {
  const { resourceVersion } = pod.metadata;
  const given = options.preconditions;
  if (given?.resourceVersion !== undefined || resourceVersion === undefined) return { pod, options, dryRun };
  return { pod, options: { ...options, preconditions: { ...given, resourceVersion } }, dryRun };
}

function isOver(pod: Pod): boolean {
  return isPodTerminal(pod) || isPodTerminating(pod);
}

/** Its end disrupts nobody. */
function isFree(pod: Pod): boolean {
  return isOver(pod) || pod.status?.phase === 'Pending';
}

function findBudget(pod: Pod, cache: CacheReader): PodDisruptionBudget | undefined {
  const all = cache.list(BUDGETS, pod.metadata.namespace) as readonly PodDisruptionBudget[];
  const budgets = all.filter(
    (budget) =>
      budget.spec.selector !== undefined && matchesLabels(storedSelector(budget.spec.selector), pod.metadata.labels),
  );
  if (budgets.length > 1) {
    throw status.internalError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  return budgets[0];
}

/** A pod that is not ready serves nobody; whether it may go is the budget's policy. */
function isOutsideBudget(pod: Pod, { spec, status: now }: PodDisruptionBudget): boolean {
  if (isPodReady(pod)) return false;
  if (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  return now !== undefined && now.desiredHealthy > 0 && now.currentHealthy >= now.desiredHealthy;
}

async function take(
  { update, clock }: EvictionWorld,
  { request, budget, dryRun }: { request: ResponderRequest; budget: PodDisruptionBudget; dryRun: boolean },
): Promise<void> {
  const { namespace = '', name = '' } = budget.metadata;
  await update(
    { resource: BUDGETS, namespace, name },
    (draft) => takeOne(draft as Draft<PodDisruptionBudget>, request.name, formatTime(clock.now())),
    { subresource: 'status', dryRun, context: request.context },
  );
}

function takeOne(budget: Draft<PodDisruptionBudget>, podName: string, now: string): void {
  const { metadata, status: has } = budget;
  const gr = { group: 'policy', resource: 'poddisruptionbudget' };
  if (has === undefined || (has.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    throw tooMany(stillProcessed(budget), RETRY_SECONDS);
  }
  if (has.disruptionsAllowed < 0) {
    throw status.forbidden(gr, metadata.name ?? '', 'pdb disruptions allowed is negative');
  }
  if (Object.keys(has.disruptedPods ?? {}).length > UNCONFIRMED_MAX) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw status.forbidden(gr, metadata.name ?? '', why);
  }
  if (has.disruptionsAllowed === 0) throw tooMany(`The disruption budget ${metadata.name} ${whyNone(has)}`, 0);
  has.disruptionsAllowed -= 1;
  // Who reads the budget before its controller has counted anew is not told that there are pods enough.
  if (has.disruptionsAllowed === 0)
    has.conditions = [...setCondition<Condition>(has.conditions, noneLeft(has, now), now)];
  has.disruptedPods = { ...has.disruptedPods, [podName]: now };
}

/** Why no pod may go now, in upstream's words. */
function whyNone({ conditions, desiredHealthy, currentHealthy }: PodDisruptionBudgetStatus): string {
  const { status, reason = '', message = '' } = conditions?.find((one) => one.type === ALLOWED) ?? {};
  const isSaid = status === 'False' && message !== '';
  // What was counted before says nothing then.
  if (isSaid && reason === 'SyncFailed') {
    return `does not allow evicting pods currently because it failed sync: ${message}`;
  }
  if (currentHealthy <= desiredHealthy) {
    return `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  return `does not allow evicting pods currently${isSaid ? ` (${reason}): ${message}` : ''}`;
}

function noneLeft({ observedGeneration = 0 }: PodDisruptionBudgetStatus, now: string): Condition {
  const why = { reason: 'InsufficientPods', message: '', observedGeneration };
  return { type: ALLOWED, status: 'False', lastTransitionTime: now, ...why };
}

function stillProcessed({ metadata }: { readonly metadata: { readonly name?: string } }): string {
  return `The disruption budget ${metadata.name} is still being processed by the server.`;
}

function tooMany(why: string, retrySeconds: number): StatusError {
  const { status: said } = status.tooManyRequests(NOT_NOW, retrySeconds);
  return new StatusError({
    ...said,
    details: { ...said.details, causes: [{ reason: 'DisruptionBudget', message: why }] },
  });
}

/** A version that was asked for is that of the pod before it was marked. */
async function deletePod(
  { loopback, update, clock }: EvictionWorld,
  request: ResponderRequest,
  { pod, options, dryRun }: Evicted,
): Promise<void> {
  const { namespace, name, context } = request;
  const { uid } = pod.metadata;
  const preconditions = { ...(uid === undefined ? {} : { uid }), ...options.preconditions };
  if (!dryRun) {
    const reason: PodCondition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    };
    const marked = await update(
      { resource: PODS, namespace, name },
      (draft) => {
        const evicted = draft as Draft<Pod>;
        // Only the pod that was meant is marked: another of its name, or a later state of it, is nobody's target.
        const { uid: its = '', resourceVersion = '' } = evicted.metadata;
        checkPreconditions(preconditions, { resource: PODS, name, uid: its, resourceVersion });
        const conditions = setCondition<PodCondition>(evicted.status?.conditions, reason, formatTime(clock.now()));
        evicted.status = { ...evicted.status, conditions: [...conditions] };
      },
      { subresource: 'status', context },
    );
    const { resourceVersion } = marked.metadata;
    if (preconditions.resourceVersion !== undefined && resourceVersion !== undefined) {
      preconditions.resourceVersion = resourceVersion;
    }
  }
  await loopback.call({
    verb: 'delete',
    resource: PODS,
    namespace,
    name,
    body: { apiVersion: 'v1', kind: 'DeleteOptions', ...options, preconditions },
    ...(dryRun ? { query: { dryRun: 'All' } } : {}),
    ...context,
  });
}
