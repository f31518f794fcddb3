import { messageOf, sleep, within } from '@binnacle/base';
import type { CountFigure } from '@binnacle/base';
import { groupVersion, parseGroupVersion } from '@binnacle/machinery';
import type { OwnerReference } from '@binnacle/machinery';
import type { ObjectReference } from '@binnacle/api/core/v1';
import { runController } from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { discoverResources } from '../discovery.ts';
import { Collector } from './collector.ts';
import { OwnerGraph } from './graph.ts';
import type { GraphNode } from './graph.ts';
import { KindTable } from './kind-table.ts';
import { Monitors } from './monitors.ts';

const CHECK = 'check/';
const ORPHAN = 'orphan/';
/** Resources whose changes mean that other resources come or go. */
const ANNOUNCERS: readonly (readonly [group: string, resource: string])[] = [
  ['apiextensions.k8s.io', 'customresourcedefinitions'],
  ['apiregistration.k8s.io', 'apiservices'],
];
/** A new resource takes a moment from its announcement until it is served. */
const REDISCOVER_MS = 2000;
const RETRY_MS = 5000;
/** Upstream's: so long the first look waits for kinds that cannot be listed (whoever converts or serves them may be down). */
const FIRST_LOOK_MS = 30_000;

/** Starts the garbage collector. */
export function runGarbageCollector(kit: ControllerKit): Controller {
  const collection = new Collection(kit);
  collection.start();
  return collection.controller;
}

class Collection {
  readonly controller: Controller;
  readonly #kit: ControllerKit;
  readonly #monitors: Monitors;
  readonly #failed: CountFigure;
  readonly #synced = Promise.withResolvers<void>();
  #kinds = new KindTable([]);
  #rediscovering = false;

  constructor(kit: ControllerKit) {
    this.#kit = kit;
    this.#failed = kit.figures.counter({
      name: 'garbagecollector_controller_resources_sync_error_total',
      help: 'How often it failed to find out, or to follow, which kinds there are.',
    });
    const events = recorderFor(kit, 'garbage-collector-controller');
    const graph: OwnerGraph = new OwnerGraph({
      check: (node, because) => this.controller.enqueue(CHECK + node.uid, because()),
      orphan: (node, because) => this.controller.enqueue(ORPHAN + node.uid, because()),
    });
    const collector = new Collector({
      client: kit.client,
      graph,
      kinds: () => this.#kinds,
      tellInvalidOwner: (node, owner) =>
        events.event(nodeReference(node), 'Warning', 'OwnerRefInvalidNamespace', complaint(node, owner)),
    });
    this.controller = runController({
      name: 'garbage-collector-controller',
      world: kit.world,
      scope: kit.scope,
      caches: [{ whenSynced: () => this.#synced.promise }],
      workers: 20,
      sync: (key, context) =>
        key.startsWith(CHECK)
          ? collector.check(key.slice(CHECK.length), context)
          : collector.orphan(key.slice(ORPHAN.length), context),
    });
    this.#monitors = new Monitors({
      scope: kit.scope,
      graph,
      log: kit.world.log,
      informerOf: (r, scope) => kit.informers.metadataOf(r, scope),
    });
  }

  start(): void {
    const { scope } = this.#kit;
    // Whoever waits for the caches must not wait for ever when the process ends before.
    scope.signal.addEventListener('abort', () => this.#synced.resolve(), { once: true });
    scope.run('garbage collector discovery', async (signal) => {
      await this.#discover(signal);
      this.#followAnnouncers();
      const { clock, log } = this.#kit.world;
      const whole = this.#monitors.whenSynced(signal).then(() => true);
      // Their objects are seen once they can be; meanwhile everybody else's garbage goes.
      if ((await within(whole, { clock, ms: FIRST_LOOK_MS })) === undefined) {
        this.#failed.add();
        log.warn('Not all kinds can be listed: garbage is collected without them', {});
      }
      this.#synced.resolve();
    });
  }

  async #discover(signal: AbortSignal): Promise<void> {
    const { client, world } = this.#kit;
    for (;;) {
      try {
        const { resources, failures } = await discoverResources(client.wire, { signal });
        if (failures.length > 0) world.log.info(1, 'discovery is incomplete', { failures });
        const unknown = new Set(failures.map((one) => parseGroupVersion(one.groupVersion).group));
        this.#kinds = new KindTable(resources, unknown, this.#kinds);
        this.#monitors.follow(resources, unknown);
        return;
      } catch (error) {
        if (signal.aborted) throw error;
        this.#failed.add();
        world.log.info(1, 'discovery failed', { reason: messageOf(error) });
      }
      await sleep(world.clock, RETRY_MS, signal);
    }
  }

  #followAnnouncers(): void {
    for (const [group, kind] of ANNOUNCERS) {
      const informer = this.#monitors.informerOf(group, kind);
      if (informer === undefined) continue;
      const changed = (): void => this.#rediscoverSoon();
      let ready = false;
      const told = (): void => {
        if (ready) changed();
      };
      this.#kit.scope.defer(informer.subscribe({ add: told, update: told, remove: told }));
      // Never rejects: without a signal it waits for the first list, for ever if need be.
      void informer.whenSynced().then(() => (ready = true));
    }
  }

  #rediscoverSoon(): void {
    if (this.#rediscovering) return;
    this.#rediscovering = true;
    this.#kit.scope.run('garbage collector rediscovery', async (signal) => {
      await sleep(this.#kit.world.clock, REDISCOVER_MS, signal);
      this.#rediscovering = false;
      await this.#discover(signal);
    });
  }
}

function nodeReference(node: GraphNode): ObjectReference {
  const { apiVersion, kind, name, namespace, resource } = node.place;
  const version = resource === undefined ? apiVersion : groupVersion(resource);
  return { apiVersion: version, kind, name, uid: node.uid, ...(namespace === '' ? {} : { namespace }) };
}

function complaint(node: GraphNode, owner: OwnerReference): string {
  const { namespace } = node.place;
  const what = `${owner.apiVersion}/${owner.kind}, namespace: ${namespace}, name: ${owner.name}, uid: ${owner.uid}`;
  return `ownerRef [${what}] does not exist in namespace "${namespace}"`;
}
