import { ENDPOINT_SLICES, NODES, SERVICES } from '@binnacle/api';
import type { Node } from '@binnacle/api/core/v1';
import { messageOf, sleep } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { createInformer } from '@binnacle/client';
import type { Client, ClientWorld, SharedInformer } from '@binnacle/client';
import type { NodeRules, ServiceNetwork } from '@binnacle/network';
import { ServiceTable } from './service-table.ts';

/** A proxy for one node. */
export interface ProxyOptions {
  readonly client: Client;
  readonly world: ClientWorld;
  readonly scope: Scope;
  readonly network: ServiceNetwork;
  readonly nodeName: string;
  /** What holds whatever the API says. `insiders` are joined by the addresses of the cluster's nodes. */
  readonly rules: NodeRules;
  /** Changes are gathered this long, counted from the last time; upstream's `minSyncPeriod`. */
  readonly minSyncMs: number;
}

/** What a proxy has done so far. */
export interface ProxyReport {
  /** Milliseconds since 1970 of the last time that all was as it should be; undefined: never yet. */
  readonly syncedAt: number | undefined;
  readonly syncs: number;
  readonly failures: number;
  /** The last time went wrong. */
  readonly failing: boolean;
  /** How long the last one took. */
  readonly lastSyncMs: number;
}

/** A proxy that runs until its scope ends. What it made stays: connections go on while it is away. */
export interface RunningProxy {
  readonly table: ServiceTable;
  readonly report: ProxyReport;
  /** The first rules are there. */
  whenSynced(): Promise<void>;
  /** The machine was asked to take them once; `report` says whether it did. */
  whenTried(): Promise<void>;
  /** Somebody else had a hand in the rules: all are made again. */
  resync(): void;
}

const ZONE = 'topology.kubernetes.io/zone';
const HEADLESS = 'service.kubernetes.io/headless';
/** After a failure, then twice as long, and so on. */
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 30_000;

/** Follows Services, slices and nodes, and keeps the node's rules as they say. */
export function runProxy(options: ProxyOptions): RunningProxy {
  const { client, world, scope } = options;
  const proxy = new Proxy(options);
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
  scope.run('proxy', async (signal) => {
    await Promise.all(all.map((informer) => informer.whenSynced(signal)));
    await proxy.run(signal);
  });
  return proxy;
}

class Proxy implements RunningProxy {
  readonly table: ServiceTable;
  readonly #options: ProxyOptions;
  /** InternalIPs by node. */
  readonly #nodes = new Map<string, readonly string[]>();
  readonly #first = Promise.withResolvers<void>();
  readonly #tried = Promise.withResolvers<void>();
  /** Resolved when there is something to do. */
  #work = Promise.withResolvers<void>();
  #isWhole = false;
  #report: ProxyReport = { syncedAt: undefined, syncs: 0, failures: 0, failing: false, lastSyncMs: 0 };

  constructor(options: ProxyOptions) {
    this.#options = options;
    this.table = new ServiceTable({ nodeName: options.nodeName, zone: '', addresses: [] });
  }

  get report(): ProxyReport {
    return this.#report;
  }

  whenSynced(): Promise<void> {
    return this.#first.promise;
  }

  whenTried(): Promise<void> {
    return this.#tried.promise;
  }

  resync(): void {
    this.#isWhole = false;
    this.#work.resolve();
  }

  touch(change: () => void): void {
    change();
    if (this.table.isDirty) this.#work.resolve();
  }

  setNode({ metadata, status }: Node): void {
    const name = metadata.name ?? '';
    const all = status?.addresses ?? [];
    const addresses = all.filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
    if (name === this.#options.nodeName) {
      const zone = metadata.labels?.[ZONE] ?? '';
      this.touch(() => this.table.setNode({ nodeName: name, zone, addresses }));
    }
    if (this.#nodes.get(name)?.join() === addresses.join()) return;
    this.#nodes.set(name, addresses);
    this.#insidersChanged();
  }

  removeNode({ metadata: { name = '' } }: Node): void {
    if (this.#nodes.delete(name)) this.#insidersChanged();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.world;
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    let retryMs = RETRY_MS;
    while (!signal.aborted) {
      this.#work = Promise.withResolvers();
      const ok = await this.#sync();
      this.#tried.resolve();
      if (ok) this.#first.resolve();
      retryMs = ok ? RETRY_MS : Math.min(retryMs * 2, RETRY_MS_MAX);
      await sleep(clock, ok ? this.#options.minSyncMs : retryMs, signal);
      if (ok) await Promise.race([this.#work.promise, stopped]);
    }
  }

  async #sync(): Promise<boolean> {
    const { network, world } = this.#options;
    const { syncs, failures } = this.#report;
    const from = world.clock.monotonic();
    const wasWhole = this.#isWhole;
    // What comes while it runs is for the next time.
    this.#isWhole = true;
    try {
      if (wasWhole) {
        const changes = this.table.changes();
        if (changes.size > 0) await network.change(changes);
      } else await network.replace(this.#rules(), this.table.all());
      const lastSyncMs = world.clock.monotonic() - from;
      this.#report = { syncedAt: world.clock.now(), syncs: syncs + 1, failures, failing: false, lastSyncMs };
      return true;
    } catch (error) {
      // What the machine has now is not known: the next time makes all of it.
      this.#isWhole = false;
      this.#report = { ...this.#report, failures: failures + 1, failing: true };
      world.log.error(error, 'the rules of Services were not taken', { reason: messageOf(error) });
      return false;
    }
  }

  #rules(): NodeRules {
    const { rules } = this.#options;
    if (rules.insiders === undefined) return rules;
    return { ...rules, insiders: [...new Set([...rules.insiders, ...[...this.#nodes.values()].flat()])] };
  }

  #insidersChanged(): void {
    if (this.#options.rules.insiders !== undefined) this.resync();
  }
}
