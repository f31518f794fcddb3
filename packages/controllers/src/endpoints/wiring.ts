import { messageOf } from '@binnacle/base';
import { deepEqual } from '@binnacle/machinery';
import { ENDPOINTS, PODS, SERVICES, wellknown } from '@binnacle/api';
import type { Endpoints, Pod, Service } from '@binnacle/api/core/v1';
import { cacheKey, referenceTo } from '@binnacle/client';
import type { EventRecorder } from '@binnacle/client';
import {
  deleteIfThere,
  isNamespaceTerminating,
  OwnWrites,
  runController,
  splitKey,
  triggerOf,
} from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import { ChangeTimes } from '../change-times.ts';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { followServices } from '../follow-services.ts';
import type { FollowedServices } from '../follow-services.ts';
import { hasAddress, isManaged, LABEL_HEADLESS } from '../service-endpoints.ts';
import { desiredSubsets, truncated } from './desired.ts';

const LABEL_MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const MANAGER = 'endpoint-controller';
const ANNOTATION_OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';
/** Endpoints objects that were the lock of an election belong to no service, and are nobody's leftovers. */
const ANNOTATION_LEADER = 'control-plane.alpha.kubernetes.io/leader';

/** Starts the controller that keeps one Endpoints object for each service with a selector. */
export function runEndpointsController(kit: ControllerKit): Controller {
  const services = kit.informers.need(SERVICES);
  const pods = kit.informers.need(PODS);
  const all = kit.informers.need(ENDPOINTS);
  const times = new ChangeTimes();
  const writes = new OwnWrites(kit.world.clock, all);
  /** Keys of services that went while we looked: their Endpoints go too, whoever made them. */
  const orphaned = new Set<string>();
  const events = recorderFor(kit, 'endpoint-controller');
  const sync = async (key: string, context: SyncContext): Promise<void> => {
    const service = services.get(key);
    if (service === undefined) {
      times.forget(key);
      await removeLeftover(kit, { endpoints: all.get(key), served: orphaned.delete(key) }, context);
      return;
    }
    if (!isManaged(service)) return;
    const wait = writes.remainingMs(key);
    if (wait > 0) {
      context.postpone(wait + 1);
      return;
    }
    const members: readonly Pod[] = followed.index.podsOf(key);
    const before = all.get(key);
    const after = endpointsFor(service, { before, members, changedAt: times.earliestChange(service, members) });
    if (after === before) return;
    await write({ kit, events, writes }, { key, before, after }, context);
  };
  const controller = runController({
    name: 'endpoints-controller',
    about: { group: '', resource: 'services' },
    world: kit.world,
    scope: kit.scope,
    caches: [services, pods, all],
    sync,
  });
  const followed: FollowedServices = followServices({ services, pods }, controller, kit.scope);
  const note = (event: string, endpoints: Endpoints): void => {
    const key = cacheKey(endpoints);
    if (event === 'DELETED') writes.seeGone(key, endpoints);
    else writes.see(key, endpoints);
    controller.enqueue(key, triggerOf(event, endpoints));
  };
  kit.scope.defer(
    all.subscribe({
      add: (endpoints) => note('ADDED', endpoints),
      update: (_before, endpoints) => note('MODIFIED', endpoints),
      remove: (endpoints) => note('DELETED', endpoints),
    }),
  );
  kit.scope.defer(
    services.subscribe({
      add: (service) => orphaned.delete(cacheKey(service)),
      remove: (service) => orphaned.add(cacheKey(service)),
    }),
  );
  return controller;
}

async function write(
  by: { readonly kit: ControllerKit; readonly events: EventRecorder; readonly writes: OwnWrites },
  { key, before, after }: { readonly key: string; readonly before: Endpoints | undefined; readonly after: Endpoints },
  context: SyncContext,
): Promise<void> {
  const client = by.kit.client.resource(ENDPOINTS, after.metadata.namespace);
  try {
    const made =
      before === undefined ? client.create(after, undefined, context) : client.update(after, undefined, context);
    by.writes.wrote(key, await made);
  } catch (error) {
    if (before === undefined && isNamespaceTerminating(error)) return;
    if (!context.signal.aborted) {
      const [reason, what] =
        before === undefined
          ? ['FailedToCreateEndpoint', `Failed to create endpoint for service ${key}`]
          : ['FailedToUpdateEndpoint', `Failed to update endpoint ${key}`];
      by.events.event(referenceTo(ENDPOINTS, after), 'Warning', reason, `${what}: ${messageOf(error)}`, context);
    }
    throw error;
  }
}

/** The object as it should be; the very one from before when it is right. */
export function endpointsFor(
  service: Service,
  seen: {
    readonly before: Endpoints | undefined;
    readonly members: readonly Pod[];
    readonly changedAt: string | undefined;
  },
): Endpoints {
  const { before, members, changedAt } = seen;
  const whole = desiredSubsets(service, members);
  const subsets = truncated(whole);
  const { [LABEL_HEADLESS]: _headless, ...serviceLabels } = service.metadata.labels ?? {};
  const labels = {
    ...serviceLabels,
    ...(hasAddress(service.spec) ? {} : { [LABEL_HEADLESS]: '' }),
    [LABEL_MANAGED_BY]: MANAGER,
  };
  const {
    [wellknown.ANNOTATION_ENDPOINTS_CHANGE_TIME]: _last,
    [ANNOTATION_OVER_CAPACITY]: capacity,
    ...others
  } = before?.metadata.annotations ?? {};
  const over = subsets === whole ? undefined : 'truncated';
  const same = deepEqual(before?.subsets ?? [], subsets) && deepEqual(before?.metadata.labels ?? {}, labels);
  if (before !== undefined && same && capacity === over) return before;
  const annotations = {
    ...others,
    ...(changedAt === undefined ? {} : { [wellknown.ANNOTATION_ENDPOINTS_CHANGE_TIME]: changedAt }),
    ...(over === undefined ? {} : { [ANNOTATION_OVER_CAPACITY]: over }),
  };
  const { name = '', namespace = '' } = service.metadata;
  return { ...before, metadata: { ...before?.metadata, name, namespace, labels, annotations }, subsets };
}

/**
 * Endpoints go with their service: those that this controller made, also when the service went while nobody looked.
 * What somebody made without a service is not touched.
 */
async function removeLeftover(
  kit: ControllerKit,
  left: { readonly endpoints: Endpoints | undefined; readonly served: boolean },
  context: SyncContext,
): Promise<void> {
  if (left.endpoints === undefined) return;
  const { annotations, labels, uid = '' } = left.endpoints.metadata;
  if (annotations?.[ANNOTATION_LEADER] !== undefined) return;
  if (!left.served && labels?.[LABEL_MANAGED_BY] !== MANAGER) return;
  const { namespace, name } = splitKey(cacheKey(left.endpoints));
  const client = kit.client.resource(ENDPOINTS, namespace);
  await deleteIfThere({ client, context }, name, { preconditions: { uid } });
}
