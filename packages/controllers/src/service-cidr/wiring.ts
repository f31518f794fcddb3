import { IP_ADDRESSES, SERVICE_CIDRS, setCondition } from '@binnacle/api';
import type { IPAddress, ServiceCIDR } from '@binnacle/api/networking/v1';
import { formatTime } from '@binnacle/base';
import type { Informer } from '@binnacle/client';
import { commitStatus, runController, triggerOf } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';
import { holdsAddress, mayGo, overlap } from './ranges.ts';

const FINALIZER = 'networking.k8s.io/service-cidr-finalizer';
/** Until then every API server has heard that the range gives out no address any more. */
const GRACE_MS = 10_000;
const READY = { status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' } as const;
const HELD = {
  status: 'False',
  reason: 'Terminating',
  message: 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
} as const;

/** Starts the controller that keeps ranges of services for as long as addresses of them are given out. */
export function runServiceCidrController(kit: ControllerKit): Controller {
  const cidrs = kit.informers.need(SERVICE_CIDRS);
  const addresses = kit.informers.need(IP_ADDRESSES);
  const client = kit.client.resource(SERVICE_CIDRS);
  const given = function* (): Generator<string> {
    for (const address of addresses.list()) if (isOfServices(address)) yield address.metadata.name ?? '';
  };
  const report = (cidr: ServiceCIDR, state: typeof READY | typeof HELD, context: SyncContext): Promise<unknown> =>
    commitStatus({ client, context }, cidr, (seen) => withReady(seen, state, kit.world.clock.now()));
  const setFinalizers = async (
    cidr: ServiceCIDR,
    finalizers: readonly string[],
    context: SyncContext,
  ): Promise<void> => {
    await client.update({ ...cidr, metadata: { ...cidr.metadata, finalizers } }, undefined, context);
  };
  const sync = async (key: string, context: SyncContext): Promise<void> => {
    const cidr = cidrs.get(key);
    if (cidr === undefined) return;
    const { deletionTimestamp, finalizers = [] } = cidr.metadata;
    const guarded = finalizers.includes(FINALIZER);
    if (deletionTimestamp === undefined) {
      // What it wakes brings us here again.
      if (!guarded) return setFinalizers(cidr, [...finalizers, FINALIZER], context);
      await report(cidr, READY, context);
      return;
    }
    if (!mayGo(cidr, cidrs.list(), given())) {
      await report(cidr, HELD, context);
      return;
    }
    const left = Date.parse(deletionTimestamp) + GRACE_MS - kit.world.clock.now();
    if (left > 0) return context.requeueAfter(left);
    if (guarded)
      await setFinalizers(
        cidr,
        finalizers.filter((one) => one !== FINALIZER),
        context,
      );
  };
  const controller = runController({
    name: 'service-cidr-controller',
    about: SERVICE_CIDRS,
    world: kit.world,
    scope: kit.scope,
    caches: [cidrs, addresses],
    sync,
  });
  follow(kit, { cidrs, addresses, controller });
  return controller;
}

interface Followed {
  readonly cidrs: Informer<ServiceCIDR>;
  readonly addresses: Informer<IPAddress>;
  readonly controller: Controller;
}

/** A range that comes or goes matters to those that overlap it; an address that goes, to ranges that wait for it. */
function follow(kit: ControllerKit, { cidrs, addresses, controller }: Followed): void {
  const wake = (event: string, object: ServiceCIDR): void => {
    for (const other of cidrs.list()) {
      if (other === object || overlap(other, object))
        controller.enqueue(other.metadata.name ?? '', triggerOf(event, object));
    }
  };
  kit.scope.defer(
    cidrs.subscribe({
      add: (cidr) => wake('ADDED', cidr),
      update: (_before, cidr) => wake('MODIFIED', cidr),
      remove: (cidr) => wake('DELETED', cidr),
    }),
  );
  kit.scope.defer(
    addresses.subscribe({
      remove: (address) => {
        if (!isOfServices(address)) return;
        for (const cidr of cidrs.list()) {
          const waits =
            cidr.metadata.deletionTimestamp !== undefined && holdsAddress(cidr, address.metadata.name ?? '');
          if (waits) controller.enqueue(cidr.metadata.name ?? '', triggerOf('DELETED', address));
        }
      },
    }),
  );
}

function isOfServices({ metadata }: IPAddress): boolean {
  return metadata.labels?.['ipaddress.kubernetes.io/managed-by'] === 'ipallocator.k8s.io';
}

function withReady(cidr: ServiceCIDR, state: typeof READY | typeof HELD, nowMs: number): ServiceCIDR {
  const { conditions = [] } = cidr.status ?? {};
  const before = conditions.find(({ type }) => type === 'Ready');
  // The server that made the first range has its own words for the same.
  if (before?.status === state.status && (state === READY || before.message === state.message)) return cidr;
  const condition = { type: 'Ready', ...state, lastTransitionTime: formatTime(nowMs) };
  return {
    ...cidr,
    status: { ...cidr.status, conditions: setCondition(conditions, condition, condition.lastTransitionTime) },
  };
}
