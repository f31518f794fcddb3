import { PODS, isPodReady, isPodTerminal, isPodTerminating, setCondition } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { Pod, PodCondition } from '@binnacle/api/core/v1';
import type { Eviction, PodDisruptionBudget } from '@binnacle/api/policy/v1';
import { formatTime } from '@binnacle/base';
import { StatusError, matchesLabels, selectorFromObject, status } from '@binnacle/machinery';
import type { DeleteOptions } from '@binnacle/machinery';
import type { Responder, ResponderRequest } from '../../../ports/responder.ts';
import type { ServerWorld } from '../../../ports/world.ts';
import type { CacheReader } from '../../../ports/reader.ts';
import { success } from './success.ts';

type EvictionWorld = Pick<ServerWorld, 'cache' | 'loopback' | 'update' | 'clock'>;

const BUDGETS = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };
/** Evictions that the budget's controller has not confirmed yet. */
const UNCONFIRMED_MAX = 2000;
const NOT_NOW = "Cannot evict pod as it would violate the pod's disruption budget.";
/** How long a caller should wait for a budget that is being worked on. */
const RETRY_SECONDS = 10;

/** `pods/eviction`: a deletion that respects the pod's disruption budget. 429 when it does not allow one now. */
export function createEvictionHandler(world: EvictionWorld): Responder {
  return {
    async handle(request) {
      const eviction = request.body as Eviction;
      if (request.name !== (eviction.metadata.name ?? '')) {
        throw status.badRequest('name in URL does not match name in Eviction object');
      }
      const pod = (world.cache.get(PODS, request.namespace, request.name) ??
        (await world.cache.getLive(PODS, request.namespace, request.name))) as Pod | undefined;
      if (pod === undefined) throw status.notFound(PODS, request.name);
      const dryRun = request.dryRun || (eviction.deleteOptions?.dryRun ?? []).includes('All');
      const budget = isFree(pod) ? undefined : findBudget(pod, world.cache);
      if (budget !== undefined && !isOutsideBudget(pod, budget)) await take(world, { request, budget, dryRun });
      await deletePod(world, request, { pod, options: eviction.deleteOptions ?? {}, dryRun });
      return success();
    },
  };
}

/** Its end disrupts nobody. */
function isFree(pod: Pod): boolean {
  return isPodTerminal(pod) || isPodTerminating(pod) || pod.status?.phase === 'Pending';
}

function findBudget(pod: Pod, cache: CacheReader): PodDisruptionBudget | undefined {
  const all = cache.list(BUDGETS, pod.metadata.namespace) as readonly PodDisruptionBudget[];
  const budgets = all.filter(
    (budget) =>
      budget.spec.selector !== undefined &&
      matchesLabels(selectorFromObject(budget.spec.selector), pod.metadata.labels),
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
    throw tooMany(`The disruption budget ${metadata.name} is still being processed by the server.`, RETRY_SECONDS);
  }
  if (has.disruptionsAllowed < 0) {
    throw status.forbidden(gr, metadata.name ?? '', 'pdb disruptions allowed is negative');
  }
  if (Object.keys(has.disruptedPods ?? {}).length > UNCONFIRMED_MAX) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw status.forbidden(gr, metadata.name ?? '', why);
  }
  if (has.disruptionsAllowed === 0) {
    const { desiredHealthy, currentHealthy } = has;
    const needs = `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
    throw tooMany(`The disruption budget ${metadata.name} ${needs}`, 0);
  }
  has.disruptionsAllowed -= 1;
  has.disruptedPods = { ...has.disruptedPods, [podName]: now };
}

function tooMany(why: string, retrySeconds: number): StatusError {
  const { status: said } = status.tooManyRequests(NOT_NOW, retrySeconds);
  return new StatusError({
    ...said,
    details: { ...said.details, causes: [{ reason: 'DisruptionBudget', message: why }] },
  });
}

async function deletePod(
  { loopback, update, clock }: EvictionWorld,
  request: ResponderRequest,
  { pod, options, dryRun }: { pod: Pod; options: DeleteOptions; dryRun: boolean },
): Promise<void> {
  const { namespace, name, context } = request;
  if (!dryRun) {
    const reason: PodCondition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    };
    await update(
      { resource: PODS, namespace, name },
      (draft) => {
        const evicted = draft as Draft<Pod>;
        const conditions = setCondition<PodCondition>(evicted.status?.conditions, reason, formatTime(clock.now()));
        evicted.status = { ...evicted.status, conditions: [...conditions] };
      },
      { subresource: 'status', context },
    );
  }
  const uid = pod.metadata.uid;
  const preconditions = { ...(uid === undefined ? {} : { uid }), ...options.preconditions };
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
