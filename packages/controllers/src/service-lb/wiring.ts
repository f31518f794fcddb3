import { ENDPOINT_SLICES, endpointStanding, NODES, PODS, SERVICES, wellknown } from '@binnacle/api';
import type { Node, Pod, Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { actOnEach, cacheKey, referenceTo } from '@binnacle/client';
import type { EventRecorder, Informer } from '@binnacle/client';
import { runController, triggerOf } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit, StartOptions } from '../controller-kit.ts';
import { heldPorts, hostPorts } from './held-ports.ts';
import { HOST_PORT_INDEX, LatePods } from './late-pods.ts';
import {
  askedPorts,
  grantedAddresses,
  grantedPorts,
  planBalancers,
  portText,
  servesBalancers,
  wantsBalancer,
} from './plan.ts';
import type { Grant } from './plan.ts';

/** One plan for all: what one Service gets, another cannot have. */
const ALL = 'all';
/** A port that a program of the node had may be free again. */
const LOOK_AGAIN_MS = 30_000;
const GATHER_MS = 20;
/** Index of slices: by `namespace/service`. */
const BY_SERVICE = 'slices-of-load-balancers';
const NOTHING: ReadonlySet<string> = new Set();

type Said = readonly [reason: string, message: string];
const ENSURING: Said = ['EnsuringLoadBalancer', 'Ensuring load balancer'];
const ENSURED: Said = ['EnsuredLoadBalancer', 'Ensured load balancer'];
const DELETING: Said = ['DeletingLoadBalancer', 'Deleting load balancer'];
const DELETED: Said = ['DeletedLoadBalancer', 'Deleted load balancer'];

/**
 * Starts the controller that gives Services of type LoadBalancer their addresses. Nothing outside of the cluster is made
 * for them, so that they need no finalizer. Without `loadBalancers` another one does it.
 */
export function runLoadBalancerController(kit: ControllerKit, { loadBalancers }: StartOptions): readonly Controller[] {
  if (loadBalancers === undefined) return [];
  const [services, nodes] = [kit.informers.need(SERVICES), kit.informers.need(NODES)];
  const pods = kit.informers.need(PODS, { indexes: HOST_PORT_INDEX });
  const slices = kit.informers.need(ENDPOINT_SLICES, {
    indexes: { [BY_SERVICE]: (slice: EndpointSlice) => [serviceOf(slice)] },
  });
  const events = recorderFor(kit, 'service-controller');
  const balancers = new Balancers({ kit, services, events });
  const late = new LatePods(pods, events);
  const controller = runController({
    name: 'service-lb-controller',
    world: kit.world,
    scope: kit.scope,
    caches: [services, nodes, pods, slices],
    sync: async (_key, context) => {
      const answering = (service: Service): ReadonlySet<string> =>
        readyNodes(slices.byIndex(BY_SERVICE, cacheKey(service)));
      // Who has ports keeps them: the machine is asked for those alone that ask for others.
      const taken = services.list().some((one) => asksForMore(one))
        ? { usedPorts: await loadBalancers.usedPorts(), heldPorts: heldPorts(nodes.list(), pods.list()) }
        : { usedPorts: NOTHING };
      const source = { ...loadBalancers, ...taken, answering };
      const grants = planBalancers(services.list(), nodes.list(), source);
      await balancers.apply(grants, context);
      const serves = (name: string): boolean =>
        [nodes.get(name)].some((node) => node !== undefined && servesBalancers(node));
      if (loadBalancers.pool === undefined) late.tell(holdersOf(services.list(), grants), serves, context);
      if ([...grants.values()].some((grant) => 'conflict' in grant)) context.requeueAfter(LOOK_AGAIN_MS);
    },
  });
  follow(kit, { controller, balancers, services, slices, nodes, pods });
  return [controller];
}

/** What a change of objects wakes the controller for. */
interface Followed {
  readonly controller: Controller;
  readonly balancers: Balancers;
  readonly services: Informer<Service>;
  readonly slices: Informer<EndpointSlice>;
  readonly nodes: Informer<Node>;
  readonly pods: Informer<Pod>;
}

function follow(kit: ControllerKit, followed: Followed): void {
  followServices(kit, followed);
  followNodes(kit, followed);
}

function followServices(kit: ControllerKit, { controller, balancers, services, slices }: Followed): void {
  const wake = (event: string, service: Service): void => {
    if (service.spec?.type === 'LoadBalancer' || grantedAddresses(service).length > 0)
      controller.enqueueAfter(ALL, GATHER_MS, triggerOf(event, service));
  };
  const wakeFor = (event: string, slice: EndpointSlice): void => {
    const service = services.get(serviceOf(slice));
    if (service?.spec?.externalTrafficPolicy === 'Local' && wantsBalancer(service))
      controller.enqueueAfter(ALL, GATHER_MS, triggerOf(event, slice));
  };
  kit.scope.defer(
    services.subscribe({
      add: (service) => wake('ADDED', service),
      update: (before, service) => {
        if (hasLostWithType(before, service)) balancers.lose(service);
        wake('MODIFIED', wantsBalancer(before) ? before : service);
      },
      remove: (service) => {
        balancers.forget(service);
        wake('DELETED', service);
      },
    }),
  );
  kit.scope.defer(
    slices.subscribe({
      add: (slice) => wakeFor('ADDED', slice),
      update: (before, slice) => {
        if ([...readyNodes([before])].join() !== [...readyNodes([slice])].join()) wakeFor('MODIFIED', slice);
      },
      remove: (slice) => wakeFor('DELETED', slice),
    }),
  );
}

function followNodes(kit: ControllerKit, { controller, nodes, pods }: Followed): void {
  const wakeForNode = (event: string, node: Node): void =>
    controller.enqueueAfter(ALL, GATHER_MS, triggerOf(event, node));
  const wakeForPod = (event: string, pod: Pod): void => {
    if (hostPorts(pod).length > 0) controller.enqueueAfter(ALL, GATHER_MS, triggerOf(event, pod));
  };
  kit.scope.defer(
    pods.subscribe({
      add: (pod) => wakeForPod('ADDED', pod),
      update: (before, pod) => {
        if (before.spec?.nodeName !== pod.spec?.nodeName) wakeForPod('MODIFIED', pod);
      },
    }),
  );
  kit.scope.defer(
    nodes.subscribe({
      add: (node) => wakeForNode('ADDED', node),
      update: (before, node) => {
        if (addressesOf(before) !== addressesOf(node)) wakeForNode('MODIFIED', node);
      },
      remove: (node) => wakeForNode('DELETED', node),
    }),
  );
}

function addressesOf({ metadata, status }: Node): string {
  return JSON.stringify([metadata.labels, status?.addresses, metadata.deletionTimestamp]);
}

/** Whether the API server took its addresses, as it does in the write that gives it another type. */
function hasLostWithType(before: Service, after: Service): boolean {
  if (!wantsBalancer(before) || after.spec?.type === 'LoadBalancer') return false;
  return grantedAddresses(before).length > 0 && grantedAddresses(after).length === 0;
}

function serviceOf({ metadata: { namespace = '', labels = {} } }: EndpointSlice): string {
  return `${namespace}/${labels[wellknown.LABEL_SERVICE_NAME] ?? ''}`;
}

/** Whether it wants a balancer, and a port that it was not given. */
function asksForMore(service: Service): boolean {
  if (!wantsBalancer(service)) return false;
  const given = new Set(grantedPorts(service));
  return askedPorts(service).some((port) => !given.has(port));
}

/** Whether its status says that it has these addresses, each with all its ports and no others. */
function isGiven(service: Service, addresses: readonly string[]): boolean {
  if (grantedAddresses(service).join() !== addresses.join()) return false;
  const asked = askedPorts(service).join();
  const ingress = service.status?.loadBalancer?.ingress ?? [];
  return ingress.every(({ ports = [] }) => ports.map(portText).join() === asked);
}

/** Names of nodes that have somebody who is ready. */
function readyNodes(slices: readonly EndpointSlice[]): ReadonlySet<string> {
  const ready = slices.flatMap(({ endpoints }) =>
    (endpoints ?? []).filter((endpoint) => endpointStanding(endpoint) === 'ready').map(({ nodeName = '' }) => nodeName),
  );
  return new Set(ready.toSorted());
}

/** Whose ports of the nodes' addresses are, by `tcp/80`. */
function holdersOf(services: readonly Service[], grants: ReadonlyMap<string, Grant>): ReadonlyMap<string, string> {
  const holders = new Map<string, string>();
  for (const service of services) {
    const key = cacheKey(service);
    const grant = grants.get(key);
    if (grant === undefined || 'conflict' in grant) continue;
    for (const port of askedPorts(service)) holders.set(port, key);
  }
  return holders;
}

/** Writes what Services get, and tells them. */
class Balancers {
  readonly #kit: ControllerKit;
  readonly #services: Informer<Service>;
  readonly #events: EventRecorder;
  /** Conflicts that were told. */
  readonly #told = new Map<string, string>();
  /** By key, whose addresses are gone already, which nobody told yet. */
  readonly #lost = new Set<string>();
  /** Deleted ones that had addresses, which nobody told yet. */
  readonly #gone: Service[] = [];

  constructor(of: {
    readonly kit: ControllerKit;
    readonly services: Informer<Service>;
    readonly events: EventRecorder;
  }) {
    this.#kit = of.kit;
    this.#services = of.services;
    this.#events = of.events;
  }

  lose(service: Service): void {
    this.#lost.add(cacheKey(service));
  }

  /** It is deleted, and its addresses went with it. */
  forget(service: Service): void {
    const isOurs = service.spec?.type === 'LoadBalancer' && service.spec.loadBalancerClass === undefined;
    if (isOurs && grantedAddresses(service).length > 0) this.#gone.push(service);
  }

  async apply(grants: ReadonlyMap<string, Grant>, context: SyncContext): Promise<void> {
    for (const service of this.#gone.splice(0)) {
      this.#tell(service, DELETING, context);
      this.#tell(service, DELETED, context);
    }
    for (const key of this.#told.keys()) if (!grants.has(key)) this.#told.delete(key);
    // Who came back, or was deleted meanwhile, is told of nothing.
    for (const key of this.#lost) if (grants.has(key) || this.#services.get(key) === undefined) this.#lost.delete(key);
    await actOnEach(this.#services.list(), (service) =>
      this.#applyOne(service, grants.get(cacheKey(service)), context),
    );
  }

  async #applyOne(service: Service, grant: Grant | undefined, context: SyncContext): Promise<void> {
    if (grant === undefined) {
      // One that asks for another's balancer is that one's.
      if (service.spec?.type !== 'LoadBalancer') await this.#take(service, context);
    } else if ('conflict' in grant) await this.#refuse(service, grant.conflict, context);
    else await this.#give(service, grant.addresses, context);
  }

  async #give(service: Service, addresses: readonly string[], context: SyncContext): Promise<void> {
    this.#told.delete(cacheKey(service));
    if (isGiven(service, addresses)) return;
    this.#tell(service, ENSURING, context);
    await this.#write(service, addresses, context);
    this.#tell(service, ENSURED, context);
  }

  async #take(service: Service, context: SyncContext): Promise<void> {
    const hasAddresses = grantedAddresses(service).length > 0;
    if (!this.#lost.delete(cacheKey(service)) && !hasAddresses) return;
    this.#tell(service, DELETING, context);
    if (hasAddresses) await this.#write(service, [], context);
    this.#tell(service, DELETED, context);
  }

  async #refuse(service: Service, conflict: string, context: SyncContext): Promise<void> {
    const key = cacheKey(service);
    if (grantedAddresses(service).length > 0) await this.#write(service, [], context);
    if (this.#told.get(key) === conflict) return;
    this.#told.set(key, conflict);
    this.#tell(service, ENSURING, context);
    const message = `Error syncing load balancer: failed to ensure load balancer: ${conflict}`;
    this.#events.event(referenceTo(SERVICES, service), 'Warning', 'SyncLoadBalancerFailed', message, context);
  }

  #tell(service: Service, [reason, message]: Said, context: SyncContext): void {
    this.#events.event(referenceTo(SERVICES, service), 'Normal', reason, message, context);
  }

  async #write(service: Service, addresses: readonly string[], context: SyncContext): Promise<void> {
    const ports = (service.spec?.ports ?? []).map(({ port, protocol = 'TCP' }) => ({ port, protocol }));
    const ingress = addresses.map((ip) => ({ ip, ipMode: 'VIP', ports }));
    const loadBalancer = ingress.length === 0 ? {} : { ingress };
    const status = { ...service.status, loadBalancer };
    await this.#kit.client
      .resource(SERVICES, service.metadata.namespace)
      .updateStatus({ ...service, status }, undefined, context);
  }
}
