import { ENDPOINT_SLICES, internalAddresses, NODES, SERVICE_CIDRS, SERVICES, wellknown } from '@binnacle/api';
import type { Node, Service } from '@binnacle/api/core/v1';
import { inRanges } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { createEventRecorder, createInformer } from '@binnacle/client';
import type { Client, ClientWorld, EventRecorder, SharedInformer } from '@binnacle/client';
import type { NetworkError, NodeRules, ServiceNetwork, ServiceRules } from '@binnacle/network';
import { isProxyHealthy } from './health.ts';
import type { HealthCheckPorts } from './health-checks.ts';
import { primaryAddresses } from './node-addresses.ts';
import { NodePortClaims } from './node-port-claims.ts';
import type { TakenPorts } from './node-port-claims.ts';
import { RuleKeeper } from './rule-keeper.ts';
import type { RuleReport } from './rule-keeper.ts';
import { ServiceTable } from './service-table.ts';
import type { RuleChanges } from './service-table.ts';
import { SievedServices } from './sieved-services.ts';

/** A proxy for one node. */
export interface ProxyOptions {
  readonly client: Client;
  readonly world: ClientWorld;
  readonly scope: Scope;
  readonly network: ServiceNetwork;
  readonly nodeName: string;
  /**
   * What holds whatever the API says. `insiders` are joined by the addresses of the cluster's nodes; `serviceRanges` hold until the
   * API tells of ServiceCIDRs, and where it tells of none.
   */
  readonly rules: NodeRules;
  /** CIDRs: nodes with addresses there reach the world through this one, which is their load balancer. Absent: none do. */
  readonly guestRanges?: readonly string[];
  /** Changes are gathered this long, counted from the last time; upstream's `minSyncPeriod`. */
  readonly minSyncMs: number;
  /**
   * In place of the rules' `nodePortAddresses`: `primary`, the node's first address of each family; or asked each time that all
   * rules are made. Absent: as the rules say.
   */
  readonly nodePortAddresses?: 'primary' | (() => readonly string[]);
  /** Ports of this machine that other clusters on it have. Absent: there are none. */
  readonly takenPorts?: () => Promise<TakenPorts>;
  /** Where load balancers ask whether this node has somebody who answers. Absent: nowhere. */
  readonly healthChecks?: HealthCheckPorts;
}

/** A proxy that runs until its scope ends. What it made stays: connections go on while it is away. */
export interface RunningProxy {
  readonly table: ServiceTable;
  readonly report: RuleReport;
  /** CIDRs and addresses that may use Services beside the machine itself, as of now; undefined: everybody. */
  readonly insiders: readonly string[] | undefined;
  /** Load balancers may send new connections to the node: it is neither being deleted nor marked by an autoscaler that deletes it. */
  readonly nodeEligible: boolean;
  /** The first rules are there. */
  whenSynced(): Promise<void>;
  /** The machine was asked to take them once; `report` says whether it did. */
  whenTried(): Promise<void>;
  /** Somebody else had a hand in the rules: all are made again. */
  resync(): void;
  /** Looks whether another cluster came by a node port of ours, or gave up one that we want, and whose node ports are asked for where. */
  lookAround(): Promise<void>;
}

const HEADLESS = 'service.kubernetes.io/headless';
/** Of the cluster autoscaler, on a node that it is about to delete. */
const TO_BE_DELETED = 'ToBeDeletedByClusterAutoscaler';

/** Follows Services, slices and nodes, and keeps the node's rules as they say. */
export function runProxy(options: ProxyOptions): RunningProxy {
  const { client, world, scope } = options;
  const proxy = new NodeProxy(options);
  const services = createInformer(client, SERVICES, world);
  services.subscribe({
    add: (service) => proxy.touch(() => proxy.table.setService(service)),
    update: (_before, service) => proxy.touch(() => proxy.table.setService(service)),
    remove: (service) => proxy.touch(() => proxy.table.removeService(service)),
  });
  const slices = createInformer(client, ENDPOINT_SLICES, world, { labelSelector: `!${HEADLESS}` });
  slices.subscribe({
    add: (slice) => proxy.touch(() => proxy.table.setSlice(slice)),
    update: (before, slice) =>
      proxy.touch(() => {
        proxy.table.removeSlice(before);
        proxy.table.setSlice(slice);
      }),
    remove: (slice) => proxy.touch(() => proxy.table.removeSlice(slice)),
  });
  const nodes = createInformer(client, NODES, world);
  nodes.subscribe({
    add: (node) => proxy.setNode(node),
    update: (_before, node) => proxy.setNode(node),
    remove: (node) => proxy.removeNode(node),
  });
  const all: readonly Pick<SharedInformer<never>, 'start' | 'whenSynced'>[] = [services, slices, nodes];
  for (const informer of all) informer.start(scope);
  followRanges(proxy, options);
  scope.run('proxy', async (signal) => {
    await Promise.all(all.map((informer) => informer.whenSynced(signal)));
    await proxy.run(signal);
  });
  return proxy;
}

/** Ranges come and go while the cluster runs; a server that does not know them holds nothing up. */
function followRanges(proxy: NodeProxy, { client, world, scope }: ProxyOptions): void {
  const ranges = createInformer(client, SERVICE_CIDRS, world);
  const tell = (): void => {
    if (ranges.synced) proxy.setServiceRanges(ranges.list().flatMap(({ spec }) => spec?.cidrs ?? []));
  };
  ranges.subscribe({ add: tell, update: tell, remove: tell });
  ranges.start(scope);
  scope.run('ranges of Services', async (signal) => {
    await ranges.whenSynced(signal);
    tell();
  });
}

class NodeProxy implements RunningProxy {
  readonly table: ServiceTable;
  readonly #options: ProxyOptions;
  /** InternalIPs by node. */
  readonly #nodes = new Map<string, readonly string[]>();
  #own: { readonly zone: string; readonly addresses: readonly string[] } = { zone: '', addresses: [] };
  #isEligible = true;
  /** The node's first address of each family. */
  #primary: readonly string[] = [];
  /** As rules were made with them last. */
  #nodePortAddresses: string | undefined;
  #insiders: readonly string[] | undefined;
  #serviceRanges: readonly string[];
  readonly #keeper: RuleKeeper;
  readonly #events: EventRecorder;
  readonly #claims: NodePortClaims;

  constructor(options: ProxyOptions) {
    const { network, world, minSyncMs, client, scope, nodeName } = options;
    this.#options = options;
    this.#insiders = options.rules.insiders;
    this.#serviceRanges = options.rules.serviceRanges;
    this.#events = createEventRecorder({ client, world, scope, component: 'kube-proxy', host: nodeName });
    this.#claims = new NodePortClaims(({ id, port, holder }) => {
      const message = `port ${port} of node ${nodeName} leads to another cluster on the machine (${holder}): this Service is not reached by it`;
      this.#warn(id, 'NodePortTaken', message);
    });
    const sieved = new SievedServices(network, (id, error) => this.#refused(id, error));
    const node = { nodeName: options.nodeName, zone: '', addresses: [] };
    this.table = new ServiceTable(node, (service, leftOut) => this.#isOverfull(service, leftOut));
    this.#keeper = new RuleKeeper({
      world,
      minSyncMs,
      replace: async () => {
        const rules = this.#claims.settle(this.table.all(), await this.#takenPorts(), { isAll: true });
        const ofNode = this.#rules();
        this.#nodePortAddresses = ofNode.nodePortAddresses?.join();
        await sieved.replace(ofNode, onlyThere(rules));
        if (sieved.isUnfinished) this.#keeper.wake();
        await this.#keepHealthChecks();
      },
      change: async () => {
        const changes = this.table.changes();
        const isAsked = changes.size > 0 || sieved.isUnfinished;
        if (isAsked) await sieved.change(await this.#settle(changes));
        if (sieved.isUnfinished) this.#keeper.wake();
        await this.#keepHealthChecks();
        return isAsked ? undefined : 'untouched';
      },
      refused: () => sieved.refused,
      complaint: 'the rules of Services were not taken',
    });
  }

  get report(): RuleReport {
    return this.#keeper.report;
  }

  get insiders(): readonly string[] | undefined {
    return this.#insiders;
  }

  get nodeEligible(): boolean {
    return this.#isEligible;
  }

  whenSynced(): Promise<void> {
    return this.#keeper.whenSynced();
  }

  whenTried(): Promise<void> {
    return this.#keeper.whenTried();
  }

  resync(): void {
    this.#keeper.resync();
  }

  async lookAround(): Promise<void> {
    if (this.#nodePortAddresses !== this.#nodePortAddressesNow()?.join()) this.resync();
    if (!this.#claims.isEmpty && this.#claims.isStale(await this.#takenPorts())) this.resync();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#keeper.run(signal);
  }

  touch(change: () => void): void {
    change();
    if (this.table.isDirty) this.#keeper.wake();
  }

  setNode(node: Node): void {
    const { metadata, spec } = node;
    const name = metadata.name ?? '';
    const addresses = internalAddresses(node);
    if (name === this.#options.nodeName) {
      this.#own = { zone: metadata.labels?.[wellknown.LABEL_ZONE] ?? '', addresses };
      this.#setPrimary(primaryAddresses(node));
      const isMarked = (spec?.taints ?? []).some(({ key }) => key === TO_BE_DELETED);
      this.#isEligible = metadata.deletionTimestamp === undefined && !isMarked;
    }
    const isNews = this.#nodes.get(name)?.join() !== addresses.join();
    this.#nodes.set(name, addresses);
    this.#placeNode();
    if (isNews) this.#insidersChanged();
  }

  removeNode({ metadata: { name = '' } }: Node): void {
    if (!this.#nodes.delete(name)) return;
    this.#placeNode();
    this.#insidersChanged();
  }

  /** What ClusterIPs are given out of now; none: as it was when the proxy began. */
  setServiceRanges(told: readonly string[]): void {
    const ranges = told.length === 0 ? this.#options.rules.serviceRanges : [...new Set(told)];
    if (ranges.toSorted().join() === this.#serviceRanges.toSorted().join()) return;
    this.#serviceRanges = ranges;
    this.resync();
  }

  #setPrimary(addresses: readonly string[]): void {
    const isNews = this.#primary.join() !== addresses.join();
    this.#primary = addresses;
    if (isNews && this.#options.nodePortAddresses === 'primary') this.resync();
  }

  #nodePortAddressesNow(): readonly string[] | undefined {
    const { nodePortAddresses, rules } = this.#options;
    if (nodePortAddresses === undefined) return rules.nodePortAddresses;
    return nodePortAddresses === 'primary' ? this.#primary : nodePortAddresses();
  }

  #placeNode(): void {
    const { nodeName, guestRanges = [] } = this.#options;
    const isGuest = inRanges(guestRanges);
    const guests = [...this.#nodes].flatMap(([name, all]) => (name !== nodeName && all.some(isGuest) ? [name] : []));
    const node = { nodeName, ...this.#own, ...(guests.length === 0 ? {} : { guests: guests.toSorted() }) };
    this.touch(() => this.table.setNode(node));
  }

  async #takenPorts(): Promise<TakenPorts> {
    return (await this.#options.takenPorts?.()) ?? new Map();
  }

  /** What others have is asked for when a node port comes, and not for each change. */
  async #settle(changes: RuleChanges): Promise<RuleChanges> {
    if (this.#claims.asksForMore(changes)) return this.#claims.settle(changes, await this.#takenPorts());
    return this.#claims.settle(changes, new Map());
  }

  #warn(service: string, reason: string, message: string): void {
    const [namespace = '', name = ''] = service.split('/');
    this.#events.event({ apiVersion: 'v1', kind: 'Service', namespace, name }, 'Warning', reason, message);
  }

  #isOverfull({ metadata: { namespace = '', name = '' } }: Service, leftOut: number): void {
    const { nodeName, world } = this.#options;
    const message = `node ${nodeName} has no room for the endpoints and addresses of all ports: the last ${leftOut} are not reached there`;
    world.log.warn('a Service asks for more than a node has room for', { namespace, name, leftOut });
    this.#warn(`${namespace}/${name}`, 'FailedToApplyServiceRules', message);
  }

  #refused(id: string, error: NetworkError): void {
    const { nodeName, world } = this.#options;
    const [namespace = '', name = '', port = ''] = id.split('/');
    world.log.error(error, 'the machine refuses a port of a Service; all others are served', { id });
    // What the machine says may tell of others' Services.
    const which = port === '' ? 'its port' : `port ${port}`;
    const message = `node ${nodeName} refuses the rules of ${which}, which is not reached there; the log of the node says why`;
    this.#warn(`${namespace}/${name}`, 'FailedToApplyServiceRules', message);
  }

  async #keepHealthChecks(): Promise<void> {
    const { healthChecks, nodeName, world } = this.#options;
    await healthChecks?.keep(this.table.healthChecks, {
      isHealthy: () => isProxyHealthy(this.report, world.clock.now()),
      insiders: this.insiders,
      addresses: this.#nodePortAddressesNow(),
      refused: ({ namespace, name, port }, reason) => {
        const message = `node ${nodeName} failed to start healthcheck "${namespace}/${name}" on port ${port}: ${reason}`;
        this.#warn(`${namespace}/${name}`, 'FailedToStartServiceHealthcheck', message);
      },
    });
  }

  #rules(): NodeRules {
    const { rules } = this.#options;
    const nodePortAddresses = this.#nodePortAddressesNow();
    const { insiders } = this;
    return {
      ...rules,
      serviceRanges: this.#serviceRanges,
      ...(nodePortAddresses === undefined ? {} : { nodePortAddresses }),
      ...(insiders === undefined ? {} : { insiders }),
    };
  }

  #insidersChanged(): void {
    const { insiders } = this.#options.rules;
    if (insiders === undefined) return;
    this.#insiders = [...new Set([...insiders, ...[...this.#nodes.values()].flat()])];
    this.resync();
  }
}

function onlyThere(rules: RuleChanges): ReadonlyMap<string, ServiceRules> {
  const there = new Map<string, ServiceRules>();
  for (const [id, one] of rules) if (one !== undefined) there.set(id, one);
  return there;
}
