import { formatTime } from '@binnacle/base';
import { deepEqual } from '@binnacle/machinery';
import { isPodReady, LEASES, NODES, PODS, wellknown } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import { referenceTo } from '@binnacle/client';
import type { EventRecorder, Informer } from '@binnacle/client';
import { commitStatus, runController, triggerOf } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { BY_NODE, PODS_BY_NODE } from '../pods-by-node.ts';
import { conditionsWhenSilent, heartbeatOf, readinessOf, silentAtMs } from './health.ts';
import { decideTaints, needsEviction } from './taints.ts';
import { EvictionPacer, paceMsOf, zoneOf } from './zones.ts';

/** Starts the controller that notices silent nodes and taints nodes by their conditions. */
export function runNodeLifecycleController(kit: ControllerKit): Controller {
  const nodes = kit.informers.need(NODES);
  const leases = kit.informers.need(LEASES);
  const pods = kit.informers.need(PODS, { indexes: PODS_BY_NODE });
  const lifecycle = new NodeLifecycle(kit, { nodes, pods, events: recorderFor(kit, 'node-controller') });
  const controller = runController({
    name: 'node-lifecycle-controller',
    world: kit.world,
    scope: kit.scope,
    caches: [nodes, leases, pods],
    sync: (key, context) => lifecycle.sync(key, context),
  });
  kit.scope.defer(
    nodes.subscribe({
      add: (node) => {
        lifecycle.hear(node.metadata.name ?? '');
        lifecycle.countReady(undefined, node);
        controller.enqueue(node.metadata.name ?? '', triggerOf('ADDED', node));
      },
      update: (before, after) => {
        if (heartbeatOf(before) !== heartbeatOf(after)) lifecycle.hear(after.metadata.name ?? '');
        // From some to none or back: evictions stop, or may go on, everywhere.
        if (lifecycle.countReady(before, after)) {
          for (const node of nodes.list()) controller.enqueue(node.metadata.name ?? '', triggerOf('MODIFIED', after));
        }
        if (concerns(before, after)) controller.enqueue(after.metadata.name ?? '', triggerOf('MODIFIED', after));
      },
      remove: (node) => {
        lifecycle.forget(node.metadata.name ?? '');
        lifecycle.countReady(node, undefined);
      },
    }),
  );
  // A Lease renewed every ten seconds is all that a healthy node costs: it moves a time stamp, no sync.
  kit.scope.defer(
    leases.subscribe({
      update: (before, after) => {
        if (after.metadata.namespace !== wellknown.NAMESPACE_NODE_LEASE) return;
        if (before.spec.renewTime !== after.spec.renewTime) lifecycle.hear(after.metadata.name ?? '');
      },
    }),
  );
  return controller;
}

function concerns(before: Node, after: Node): boolean {
  const facts = (node: Node): unknown => [
    node.spec.unschedulable,
    node.spec.taints,
    node.metadata.labels?.[wellknown.LABEL_ZONE],
    (node.status?.conditions ?? []).map((condition) => [condition.type, condition.status]),
  ];
  return !deepEqual(facts(before), facts(after));
}

interface Caches {
  readonly nodes: Informer<Node>;
  readonly pods: Informer<Pod>;
  readonly events: EventRecorder;
}

class NodeLifecycle {
  readonly #kit: ControllerKit;
  readonly #caches: Caches;
  readonly #pacer: EvictionPacer;
  /** When each node was last heard, by our own clock: the nodes' clocks are not trusted. */
  readonly #heardMs = new Map<string, number>();
  readonly #wasReady = new Set<string>();
  #ready = 0;

  constructor(kit: ControllerKit, caches: Caches) {
    this.#kit = kit;
    this.#caches = caches;
    this.#pacer = new EvictionPacer(kit.world.clock);
  }

  hear(name: string): void {
    this.#heardMs.set(name, this.#kit.world.clock.now());
  }

  forget(name: string): void {
    this.#heardMs.delete(name);
    this.#wasReady.delete(name);
  }

  /** Whether the number of ready nodes went from some to none or from none to some. */
  countReady(before: Node | undefined, after: Node | undefined): boolean {
    const isReady = (node: Node | undefined): number => (node !== undefined && readinessOf(node) === 'True' ? 1 : 0);
    const had = this.#ready > 0;
    this.#ready += isReady(after) - isReady(before);
    return had !== this.#ready > 0;
  }

  /** Silence → conditions → taints → pods. */
  async sync(name: string, context: SyncContext): Promise<void> {
    const seen = this.#caches.nodes.get(name);
    if (seen === undefined) return;
    const node = await this.#checkSilence(seen, context);
    if (node === undefined) return;
    await this.#taint(node, context);
    await this.#tellPods(node, context);
  }

  async #checkSilence(node: Node, context: SyncContext): Promise<Node | undefined> {
    const { clock } = this.#kit.world;
    const now = clock.now();
    const remaining = silentAtMs(node, this.#heardMs.get(node.metadata.name ?? '')) - now;
    if (remaining > 0) {
      context.requeueAfter(remaining);
      return node;
    }
    const change = (current: Node): Node => {
      const conditions = conditionsWhenSilent(current, formatTime(now));
      return conditions === current.status?.conditions
        ? current
        : { ...current, status: { ...current.status, conditions } };
    };
    return commitStatus({ client: this.#kit.client.resource(NODES), context }, node, change);
  }

  async #taint(node: Node, context: SyncContext): Promise<void> {
    const eviction = this.#mayEvict(node, context);
    const taints = decideTaints(node, eviction, formatTime(this.#kit.world.clock.now()));
    if (taints === node.spec.taints || (node.spec.taints === undefined && taints.length === 0)) return;
    const { taints: _old, ...spec } = node.spec;
    const after = { ...node, spec: { ...spec, ...(taints.length === 0 ? {} : { taints }) } };
    await this.#kit.client.resource(NODES).update(after, undefined, context);
  }

  #mayEvict(node: Node, context: SyncContext): 'allow' | 'hold' | 'none' {
    if (readinessOf(node) === 'True') return 'allow';
    const nodes = this.#caches.nodes.list();
    const isLost = (one: Node): boolean => this.#isLost(one);
    if (nodes.every(isLost)) return 'none';
    if (!needsEviction(node)) return 'allow';
    const zone = zoneOf(node);
    // The zone is counted only for a node whose turn may have come: while thousands come up, all others just wait.
    const soonest = this.#pacer.soonest(zone);
    if (soonest > 0) {
      context.requeueAfter(soonest);
      return 'hold';
    }
    const paceMs = paceMsOf(zone, nodes, isLost);
    const wait = Number.isFinite(paceMs) ? this.#pacer.take(zone, paceMs) : paceMs;
    if (wait === 0) return 'allow';
    if (Number.isFinite(wait)) context.requeueAfter(wait);
    return 'hold';
  }

  #isLost(node: Node): boolean {
    if (readinessOf(node) !== 'True') return true;
    return silentAtMs(node, this.#heardMs.get(node.metadata.name ?? '')) <= this.#kit.world.clock.now();
  }

  /** When a node stops being ready, nothing on it is: services must not send anybody there. */
  async #tellPods(node: Node, context: SyncContext): Promise<void> {
    const name = node.metadata.name ?? '';
    const { pods, events } = this.#caches;
    if (readinessOf(node) === 'True') {
      this.#wasReady.add(name);
      return;
    }
    if (this.#wasReady.delete(name)) {
      const message = `Node ${name} status is now: NodeNotReady`;
      events.event(
        { kind: 'Node', apiVersion: 'v1', name, uid: node.metadata.uid ?? '' },
        'Normal',
        'NodeNotReady',
        message,
        context,
      );
    }
    for (const pod of pods.byIndex(BY_NODE, name)) {
      if (!isPodReady(pod)) continue;
      events.event(referenceTo(PODS, pod), 'Warning', 'NodeNotReady', 'Node is not ready', context);
      await this.#markNotReady(pod, context);
    }
  }

  async #markNotReady(pod: Pod, context: SyncContext): Promise<void> {
    const now = formatTime(this.#kit.world.clock.now());
    const change = (current: Pod): Pod => {
      if (!isPodReady(current)) return current;
      const conditions = (current.status?.conditions ?? []).map((condition) =>
        condition.type === 'Ready' ? { ...condition, status: 'False' as const, lastTransitionTime: now } : condition,
      );
      return { ...current, status: { ...current.status, conditions } };
    };
    await commitStatus({ client: this.#kit.client.resource(PODS, pod.metadata.namespace), context }, pod, change);
  }
}
