import { formatTime } from '@binnacle/base';
import { deepEqual } from '@binnacle/machinery';
import { isPodReady, LEASES, NODES, PODS, wellknown } from '@binnacle/api';
import type { Lease } from '@binnacle/api/coordination/v1';
import type { Node, Pod } from '@binnacle/api/core/v1';
import { actOnEach, referenceTo } from '@binnacle/client';
import type { EventRecorder, Informer } from '@binnacle/client';
import { commitStatus, runController, triggerOf } from '@binnacle/reconcile';
import type { Controller, SyncContext, Trigger } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit, NodeLifecycleOptions, StartOptions } from '../controller-kit.ts';
import { BY_NODE, PODS_BY_NODE } from '../pods-by-node.ts';
import { EvictionTurns, paceMsOf, RATES } from './eviction-turns.ts';
import type { EvictionRates } from './eviction-turns.ts';
import { NodeFigures, showZones } from './figures.ts';
import { conditionsWhenSilent, hasReported, heartbeatOf, PATIENCE, readinessOf } from './health.ts';
import { KEPT_LABELS, labelsToKeep } from './kept-labels.ts';
import { NodeBook, zoneOf } from './node-book.ts';
import { decideTaints, isGivenUp, needsEviction } from './taints.ts';

/** Starts the controller that notices silent nodes and taints nodes by their conditions. */
export function runNodeLifecycleController(kit: ControllerKit, { nodeLifecycle = {} }: StartOptions): Controller {
  const nodes = kit.informers.need(NODES);
  const leases = kit.informers.need(LEASES);
  const pods = kit.informers.need(PODS, { indexes: PODS_BY_NODE });
  const lifecycle = new NodeLifecycle(kit, { nodes, pods, events: recorderFor(kit, 'node-controller') }, nodeLifecycle);
  const controller = runController({
    name: 'node-lifecycle-controller',
    about: { group: '', resource: 'nodes' },
    world: kit.world,
    scope: kit.scope,
    caches: [nodes, leases, pods],
    sync: (key, context) => lifecycle.sync(key, context),
  });
  lifecycle.wakeBy((name, trigger) => controller.enqueue(name, trigger));
  kit.scope.defer(
    nodes.subscribe({
      add: (node) => lifecycle.observe(undefined, node),
      update: (before, after) => {
        lifecycle.observe(before, after);
        if (concerns(before, after)) controller.enqueue(after.metadata.name ?? '', triggerOf('MODIFIED', after));
      },
      remove: (node) => lifecycle.forget(node),
    }),
  );
  // A Lease renewed every ten seconds is all that a healthy node costs: it moves a time stamp, no sync.
  kit.scope.defer(
    leases.subscribe({
      update: (before, after) => {
        if (after.metadata.namespace !== wellknown.NAMESPACE_NODE_LEASE) return;
        if (before.spec.renewTime !== after.spec.renewTime) lifecycle.hear(after);
      },
    }),
  );
  return controller;
}

const LABELS_READ = [
  wellknown.LABEL_REGION,
  wellknown.LABEL_ZONE,
  wellknown.LABEL_EXCLUDE_DISRUPTION,
  ...KEPT_LABELS.flat(),
];

function concerns(before: Node, after: Node): boolean {
  const facts = (node: Node): unknown => [
    node.spec.unschedulable,
    node.spec.taints,
    LABELS_READ.map((key) => node.metadata.labels?.[key]),
    (node.status?.conditions ?? []).map((condition) => [condition.type, condition.status]),
  ];
  return !deepEqual(facts(before), facts(after));
}

interface Caches {
  readonly nodes: Informer<Node>;
  readonly pods: Informer<Pod>;
  readonly events: EventRecorder;
}

type Wake = (node: string, trigger: Trigger) => void;

class NodeLifecycle {
  readonly #kit: ControllerKit;
  readonly #caches: Caches;
  readonly #turns: EvictionTurns;
  readonly #book: NodeBook;
  readonly #rates: EvictionRates;
  readonly #figures: NodeFigures;
  readonly #wasReady = new Set<string>();
  /** Nodes that are not ready, and whose pods say so. */
  readonly #told = new Set<string>();
  #ready = 0;
  #wake: Wake = () => undefined;

  constructor(kit: ControllerKit, caches: Caches, options: NodeLifecycleOptions) {
    this.#rates = { ...RATES, ...options.rates };
    this.#kit = kit;
    this.#figures = new NodeFigures(kit.figures);
    this.#caches = caches;
    this.#turns = new EvictionTurns(kit.world.clock);
    this.#book = new NodeBook(kit.world.clock, { ...PATIENCE, ...options.patience });
    kit.scope.defer(showZones(kit.figures, () => this.#book.zones()));
  }

  wakeBy(wake: Wake): void {
    this.#wake = wake;
  }

  hear(lease: Lease): void {
    const counted = this.#book.hear(lease.metadata.name ?? '');
    if (counted.length > 0) this.#wakeFirstOf(counted, triggerOf('MODIFIED', lease));
  }

  observe(before: Node | undefined, after: Node): void {
    const heard = before === undefined || heartbeatOf(before) !== heartbeatOf(after);
    const counted = this.#book.observe(after, { heard });
    const trigger = triggerOf(before === undefined ? 'ADDED' : 'MODIFIED', after);
    if (before === undefined) {
      this.#figures.known(after);
      this.#wake(after.metadata.name ?? '', trigger);
      this.#say(after, {
        reason: 'RegisteredNode',
        what: `event: Registered Node ${after.metadata.name} in Controller`,
      });
    }
    this.#countReady(before, after, trigger);
    // It waits where it was no more: it asks again, in its new zone.
    if (before !== undefined && zoneOf(before) !== zoneOf(after)) this.#turns.leave(after.metadata.name ?? '');
    this.#wakeFirstOf(counted, trigger);
  }

  forget(node: Node): void {
    const name = node.metadata.name ?? '';
    const trigger = triggerOf('DELETED', node);
    this.#book.forget(name);
    this.#wasReady.delete(name);
    this.#told.delete(name);
    this.#turns.leave(name);
    this.#countReady(node, undefined, trigger);
    this.#wakeFirst(zoneOf(node), trigger);
    this.#say(node, { reason: 'RemovingNode', what: `event: Removing Node ${name} from Controller` });
  }

  #say(node: Node, said: { readonly reason: string; readonly what: string }, context?: SyncContext): void {
    const { name = '', uid = '' } = node.metadata;
    this.#caches.events.event(
      { kind: 'Node', apiVersion: 'v1', name, uid },
      'Normal',
      said.reason,
      `Node ${name} ${said.what}`,
      context,
    );
  }

  #countReady(before: Node | undefined, after: Node | undefined, trigger: Trigger): void {
    const isReady = (node: Node | undefined): number => (node !== undefined && readinessOf(node) === 'True' ? 1 : 0);
    const change = isReady(after) - isReady(before);
    if (change === 0) return;
    const had = this.#ready > 0;
    this.#ready += change;
    // From some to none or back: evictions stop, or may go on, everywhere.
    if (had !== this.#ready > 0) {
      for (const node of this.#caches.nodes.list()) this.#wake(node.metadata.name ?? '', trigger);
    } else if (after !== undefined) this.#wakeFirst(zoneOf(after), trigger);
  }

  #wakeFirstOf(zones: readonly string[], trigger: Trigger): void {
    for (const zone of zones) this.#wakeFirst(zone, trigger);
  }

  /** The zone's pace may be another one now, or the one before is out of the way. */
  #wakeFirst(zone: string, trigger: Trigger): void {
    const first = this.#turns.first(zone);
    if (first !== undefined) this.#wake(first, trigger);
  }

  /** Labels → silence → conditions → taints → pods. */
  async sync(name: string, context: SyncContext): Promise<void> {
    const seen = this.#caches.nodes.get(name);
    if (seen === undefined) return;
    const { clock } = this.#kit.world;
    const since = clock.monotonic();
    try {
      await this.#look(seen, context);
    } finally {
      this.#figures.looked((clock.monotonic() - since) / 1000);
    }
  }

  async #look(seen: Node, context: SyncContext): Promise<void> {
    const node = await this.#checkSilence(await this.#keepLabels(seen, context), context);
    if (node === undefined) return;
    await this.#taint(node, context);
    await this.#tellPods(node, context);
  }

  /** Old names of labels say what the new ones say. */
  async #keepLabels(node: Node, context: SyncContext): Promise<Node> {
    const labels = labelsToKeep(node);
    if (labels === undefined) return node;
    const patch = { metadata: { uid: node.metadata.uid, labels } };
    return this.#kit.client.resource(NODES).patch(node.metadata.name ?? '', 'strategic', patch, undefined, context);
  }

  async #checkSilence(node: Node, context: SyncContext): Promise<Node | undefined> {
    const { clock } = this.#kit.world;
    const remaining = this.#book.silentInMs(node);
    if (remaining > 0) {
      context.requeueAfter(remaining);
      return node;
    }
    const heard = heartbeatOf(node);
    const change = (current: Node): Node => {
      // What we came into conflict with may be its own report: it is not silent then, and wakes us itself.
      if (heartbeatOf(current) !== heard) return current;
      const conditions = conditionsWhenSilent(current, formatTime(clock.now()));
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
    if (isGivenUp(taints) && !isGivenUp(node.spec.taints ?? [])) this.#figures.evicted(node);
  }

  #mayEvict(node: Node, context: SyncContext): 'allow' | 'hold' | 'none' {
    const name = node.metadata.name ?? '';
    const ready = readinessOf(node) === 'True';
    const none = !ready && !this.#book.anyLeft;
    if (ready || none || !needsEviction(node)) {
      const zone = this.#turns.leave(name);
      if (zone !== undefined) this.#wakeFirst(zone, triggerOf('MODIFIED', node));
      return none ? 'none' : 'allow';
    }
    const zone = zoneOf(node);
    const wait = this.#turns.ask(zone, name, paceMsOf(this.#book.zone(zone), this.#rates));
    if (wait === 0) {
      this.#wakeFirst(zone, triggerOf('MODIFIED', node));
      return 'allow';
    }
    if (Number.isFinite(wait)) context.requeueAfter(wait);
    return 'hold';
  }

  /** When a node stops being ready, nothing on it is: services must not send anybody there. */
  async #tellPods(node: Node, context: SyncContext): Promise<void> {
    const name = node.metadata.name ?? '';
    const { pods, events } = this.#caches;
    if (readinessOf(node) === 'True') {
      this.#wasReady.add(name);
      this.#told.delete(name);
      return;
    }
    if (this.#wasReady.delete(name))
      this.#say(node, { reason: 'NodeNotReady', what: 'status is now: NodeNotReady' }, context);
    // Once: a kubelet that lives on and says otherwise of a pod knows better.
    if (this.#told.has(name) || !hasReported(node)) return;
    await actOnEach(pods.byIndex(BY_NODE, name).filter(isPodReady), (pod) => {
      events.event(referenceTo(PODS, pod), 'Warning', 'NodeNotReady', 'Node is not ready', context);
      return this.#markNotReady(pod, context);
    });
    this.#told.add(name);
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
