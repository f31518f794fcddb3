import { formatTime } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import { isNamespaceFinalized, isNamespaceTerminating, NAMESPACES, PODS, wellknown } from '@binnacle/api';
import type { Namespace } from '@binnacle/api/core/v1';
import {
  commitStatus,
  enqueueOn,
  IN_NAMESPACE,
  OWNERSHIP_INDEXES,
  runController,
  triggerOf,
} from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';
import { discoverResources } from '../discovery.ts';
import type { Discovery } from '../discovery.ts';
import { NamespaceContentError } from '../errors.ts';
import { decideConditions } from './conditions.ts';
import type { Findings } from './conditions.ts';
import { deletable, deleteContent } from './content.ts';
import type { Leftover } from './content.ts';

/** Objects with finalizers go when their owners let them; upstream looks again after as long as this, s. */
const FINALIZER_SECONDS = 15;
/** What failed is tried again less and less often, and upstream at least as often as this. */
const RETRY_MS_MAX = 60_000;

/** Starts the controller that empties namespaces being deleted and then lets them go. */
export function runNamespaceController(kit: ControllerKit): Controller {
  const namespaces = kit.informers.need(NAMESPACES);
  const pods = kit.informers.need(PODS, { indexes: OWNERSHIP_INDEXES });
  const controller = runController({
    name: 'namespace-controller',
    about: { group: '', resource: 'namespaces' },
    world: kit.world,
    scope: kit.scope,
    caches: [namespaces, pods],
    sync: async (key, context) => {
      const namespace = namespaces.get(key);
      if (namespace === undefined || namespace.metadata.deletionTimestamp === undefined) return;
      if (!isNamespaceFinalized(namespace)) await empty(kit, namespace, context);
    },
    workers: 10,
  });
  kit.scope.defer(enqueueOn(namespaces, controller, (namespace) => [namespace.metadata.name ?? '']));
  kit.scope.defer(
    pods.subscribe({
      remove: (pod) => {
        const { namespace: name = '' } = pod.metadata;
        const namespace = namespaces.get(name);
        if (namespace === undefined || !isNamespaceTerminating(namespace)) return;
        // With the last one it is everything else's turn; until then a look tells no more than how many are left.
        if (pods.countByIndex(IN_NAMESPACE, name) === 0) controller.enqueue(name, triggerOf('DELETED', pod));
      },
    }),
  );
  return controller;
}

/** One round: delete, look what is left, report, and either come back or let the namespace go. */
async function empty(kit: ControllerKit, namespace: Namespace, context: SyncContext): Promise<void> {
  const name = namespace.metadata.name ?? '';
  const discovery = await discoverResources(kit.client.wire, context);
  const leftovers = await deleteInOrder(kit, { discovery, namespace: name }, context);
  const findings = summarise(discovery, leftovers);
  const done = findings.remaining.length + findings.deletionFailures.length + findings.discoveryFailures.length === 0;
  if (done) return finalize(kit, name, context);
  await commitStatus({ client: kit.client.resource(NAMESPACES), context }, namespace, (seen) => {
    const before = seen.status?.conditions ?? [];
    const conditions = decideConditions(before, findings, formatTime(kit.world.clock.now()));
    return conditions === before
      ? seen
      : { ...seen, status: { ...seen.status, phase: 'Terminating' as const, conditions } };
  });
  const failures = [...findings.deletionFailures, ...findings.discoveryFailures.map((one) => one.reason)];
  if (failures.length > 0) {
    context.postpone(RETRY_MS_MAX);
    throw new NamespaceContentError(name, failures);
  }
  context.postpone((waitSeconds(leftovers) / 2 + 1) * 1000);
}

/** Pods first and alone: what they use must outlive them (network policies, secrets, service accounts). */
async function deleteInOrder(
  kit: ControllerKit,
  target: { readonly discovery: Discovery; readonly namespace: string },
  context: SyncContext,
): Promise<readonly Leftover[]> {
  const { discovery, namespace } = target;
  const all = deletable(discovery.resources);
  const isPods = (one: (typeof all)[number]): boolean => one.group === '' && one.resource === 'pods';
  const first = await Promise.all(
    all.filter(isPods).map((resource) => deleteContent(kit.client, { resource, namespace }, context)),
  );
  if (first.some((leftover) => leftover.count > 0 || leftover.failure !== undefined)) return first;
  return Promise.all(
    all.filter((one) => !isPods(one)).map((resource) => deleteContent(kit.client, { resource, namespace }, context)),
  );
}

function summarise(discovery: Discovery, leftovers: readonly Leftover[]): Findings {
  const finalizers = new Map<string, number>();
  for (const leftover of leftovers) {
    for (const [name, count] of leftover.finalizers) finalizers.set(name, (finalizers.get(name) ?? 0) + count);
  }
  return {
    discoveryFailures: discovery.failures,
    deletionFailures: leftovers.flatMap(({ failure }) => (failure === undefined ? [] : [failure])),
    remaining: leftovers.filter((leftover) => leftover.count > 0),
    finalizers,
  };
}

function waitSeconds(leftovers: readonly Leftover[]): number {
  return leftovers.reduce(
    (most, one) => Math.max(most, one.graceSeconds, one.finalizers.size > 0 ? FINALIZER_SECONDS : 0),
    0,
  );
}

async function finalize(kit: ControllerKit, name: string, context: SyncContext): Promise<void> {
  const namespaces = kit.client.resource(NAMESPACES);
  try {
    const fresh = await namespaces.get(name, context);
    const finalizers = (fresh.spec.finalizers ?? []).filter((one) => one !== wellknown.FINALIZER_KUBERNETES);
    const body = { apiVersion: 'v1', kind: 'Namespace', ...fresh, spec: { ...fresh.spec, finalizers } };
    await namespaces.subresource('update', name, 'finalize', body, context);
  } catch (error) {
    if (!status.isNotFound(error)) throw error;
  }
}
