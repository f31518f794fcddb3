import { resourceAmount, volumesForClaim, wellknown } from '@binnacle/api';
import type { Node, PersistentVolume, PersistentVolumeClaim } from '@binnacle/api/core/v1';
import type { CSIDriver, CSIStorageCapacity, StorageClass } from '@binnacle/api/storage/v1';
import { orAborted } from '@binnacle/base';
import type { CallContext } from '@binnacle/base';
import { matchesLabels, memberOf, storedSelector } from '@binnacle/machinery';
import { VolumeBindingError } from '../errors.ts';
import type { Handle, Lister, PluginFactory } from '../handle.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { MaybePromise, NodeTest, Plugin, PreFilterResult, QueueingHint, Refusal } from '../plan/framework.ts';
import type { Snapshot } from '../plan/snapshot.ts';
import { CLAIMS, CSI_DRIVERS, STORAGE_CAPACITIES, VOLUMES } from '../refs.ts';
import { argumentsOf } from './arguments.ts';
import { claimsOf, isBound, isReachable, selectable, SELECTED_NODE, VolumeWorld } from './pod-volumes.ts';
import { NODE_LABELS, OWN_UPDATE } from './queueing-hints.ts';
import { volumePromisesOf } from './volume-promises.ts';
import type { VolumePromise, VolumePromises } from './volume-promises.ts';

/** Arguments of VolumeBinding (kubescheduler.config.k8s.io/v1 VolumeBindingArgs). */
export interface VolumeBindingArgs {
  /** How long a pod waits for its volumes after its node was chosen. */
  readonly bindTimeoutSeconds?: number;
}

function refusal(reason: string): Refusal {
  return { plugin: 'VolumeBinding', reasons: [reason], unresolvable: true };
}

const OUT_OF_REACH = refusal("node(s) didn't match PersistentVolume's node affinity");
const NOTHING_TO_BIND = refusal("node(s) didn't find available persistent volumes to bind");
const NO_STORAGE = refusal('node(s) did not have enough free storage');
const NO_VOLUME = refusal('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)');

const NO_PROVISIONER = wellknown.PROVISIONER_NONE;

/** What is to be done once a pod goes to a node. */
interface BindingPlan {
  /** Claims and the volumes that they get. */
  readonly bindings: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }[];
  /** Claims for which a volume is made there. */
  readonly provisions: readonly PersistentVolumeClaim[];
}

/** What a pod waits for at its node: claims that get a volume which is there, and those for which one is made. */
interface Awaited {
  readonly node: string;
  readonly bound: readonly PersistentVolumeClaim[];
  readonly asked: readonly PersistentVolumeClaim[];
}

/** Whether it is the volume that the claim was promised, if it was one. */
function isMeant({ metadata }: PersistentVolume, promise: VolumePromise | undefined): boolean {
  return promise === undefined || !('volume' in promise) || promise.volume === metadata.name;
}

function wantedBytes({ spec }: PersistentVolumeClaim): number {
  return resourceAmount('storage', spec?.resources?.requests?.['storage'] ?? '0');
}

/**
 * Volumes that a pod claims can be reached from its node; claims that wait for their first consumer are bound, or their
 * volumes made, where the pod goes.
 */
class VolumeBinding implements Plugin {
  readonly name = 'VolumeBinding';
  readonly wakesOn: readonly QueueingHint[] = [
    OWN_UPDATE,
    NODE_LABELS,
    {
      resource: CLAIMS.resource,
      actions: ['add', 'update'],
      reaches: ({ after }) => [`${after?.metadata.namespace ?? ''}/${after?.metadata.name ?? ''}`],
      waitsFor: (demand) => claimsOf(demand).map(({ key }) => key),
    },
    { resource: VOLUMES.resource, actions: ['add', 'update'] },
    { resource: 'storageclasses', actions: ['add', 'update'] },
    { resource: STORAGE_CAPACITIES.resource, actions: ['add', 'update'] },
    // Who has no CSIDriver is not asked for capacities.
    { resource: CSI_DRIVERS.resource, actions: ['update', 'delete'] },
  ];
  readonly #handle: Handle;
  readonly #world: VolumeWorld;
  readonly #drivers: Lister<CSIDriver>;
  readonly #capacities: Lister<CSIStorageCapacity>;
  readonly #timeoutMs: number;
  /** What is being done for pods on their way, by uid. */
  readonly #plans = new Map<string, BindingPlan>();
  readonly #promises: VolumePromises;
  readonly #waiting = new Set<() => void>();

  constructor(handle: Handle, { bindTimeoutSeconds = 600 }: VolumeBindingArgs) {
    this.#handle = handle;
    this.#world = new VolumeWorld(handle);
    this.#promises = volumePromisesOf(handle.snapshot);
    this.#drivers = handle.lister(CSI_DRIVERS);
    this.#capacities = handle.lister(STORAGE_CAPACITIES, { class: (c) => [c.storageClassName] });
    this.#timeoutMs = bindTimeoutSeconds * 1_000;
    this.#world.claims.follow(() => {
      for (const look of [...this.#waiting]) look();
    });
  }

  preFilter(demand: PodDemand): PreFilterResult | undefined {
    if (claimsOf(demand).length === 0) return undefined;
    const { obstacle } = this.#world.sort(demand);
    return obstacle === undefined ? undefined : { refusal: refusal(obstacle) };
  }

  filter(demand: PodDemand, { nodes }: Snapshot): NodeTest | undefined {
    if (claimsOf(demand).length === 0 || this.#isAnywhere(demand)) return undefined;
    const plan = this.#planner(demand);
    return (slot) => {
      const node = nodes.nodes[slot];
      if (node === undefined) return NOTHING_TO_BIND;
      const found = plan(node);
      return 'reasons' in found ? found : undefined;
    };
  }

  reserve(demand: PodDemand, node: string): Refusal | undefined {
    if (claimsOf(demand).length === 0) return undefined;
    const { nodes } = this.#handle.snapshot;
    const chosen = nodes.nodes[nodes.slotOf(node) ?? -1];
    const plan = chosen === undefined ? NOTHING_TO_BIND : this.#planner(demand)(chosen);
    if ('reasons' in plan) return plan;
    this.#plans.set(demand.uid, plan);
    for (const { claim, volume } of plan.bindings) this.#promises.add(claim, { volume: volume.metadata.name ?? '' });
    for (const claim of plan.provisions) this.#promises.add(claim, { node });
    return undefined;
  }

  unreserve(demand: PodDemand): void {
    const plan = this.#plans.get(demand.uid);
    this.#plans.delete(demand.uid);
    for (const claim of plan?.provisions ?? []) this.#promises.remove(claim);
    for (const { claim, volume } of plan?.bindings ?? []) {
      this.#promises.remove(claim);
      // Nothing changed in the API: whoever waits for the volume hears of it here alone.
      this.#handle.notify({ resource: VOLUMES.resource, action: 'update', before: volume, after: volume });
    }
  }

  preBind(demand: PodDemand, node: string, context: CallContext): MaybePromise<void> {
    const plan = this.#plans.get(demand.uid);
    if (plan === undefined) return undefined;
    const isDone = plan.bindings.length + plan.provisions.length === 0;
    // Nobody is waited for where every claim has its volume already.
    if (isDone && !claimsOf(demand).some(({ key }) => this.#isHalfBound(key))) return undefined;
    return this.#carryOut(plan, { demand, node, context });
  }

  async #carryOut(
    plan: BindingPlan,
    { demand, node, context }: { readonly demand: PodDemand; readonly node: string; readonly context: CallContext },
  ): Promise<void> {
    for (const { claim, volume } of plan.bindings) await this.#bind(claim, volume, context);
    const asked: PersistentVolumeClaim[] = [];
    for (const claim of plan.provisions) asked.push(await this.#select(claim, node, context));
    const bound = plan.bindings.map(({ claim }) => claim);
    await this.#untilBound(demand, { node, bound, asked }, context);
  }

  /** Whether a claim is still being bound by its controller, whose last word is the claim's phase. */
  #isHalfBound(key: string): boolean {
    const claim = this.#world.claims.get(key);
    const volume = this.#world.volumes.get(claim?.spec?.volumeName ?? '');
    return claim?.status?.phase === 'Pending' && volume?.status?.phase === 'Bound';
  }

  postBind(demand: PodDemand): void {
    this.unreserve(demand);
  }

  /** Nothing is left to bind, and every node reaches the volumes. */
  #isAnywhere(demand: PodDemand): boolean {
    const { bound, delayed } = this.#world.sort(demand);
    return (
      delayed.length === 0 &&
      bound.every((claim) => {
        const volume = this.#world.volumes.get(claim.spec?.volumeName ?? '');
        return volume !== undefined && volume.spec?.nodeAffinity?.required === undefined;
      })
    );
  }

  /** What depends on the pod alone is worked out once; the answer is for one node. */
  #planner(demand: PodDemand): (node: Node) => BindingPlan | Refusal {
    const { bound, delayed } = this.#world.sort(demand);
    const volumes = bound.map((claim) => this.#world.volumes.get(claim.spec?.volumeName ?? ''));
    const isMissing = volumes.includes(undefined);
    // The smallest first: it takes no large volume that another one needs.
    const offers = [...delayed]
      .sort((a, b) => wantedBytes(a) - wantedBytes(b))
      .map((claim) => ({
        claim,
        storage: this.#world.classOf(claim),
        promise: this.#promises.of(claim),
        volumes: volumesForClaim(claim, this.#world.volumes.list()).filter((v) => this.#promises.isFree(v, claim)),
      }));
    return (node) => {
      const there = selectable(node);
      if (isMissing) return NO_VOLUME;
      if (!volumes.every((v) => v === undefined || isReachable(v, there))) return OUT_OF_REACH;
      const taken = new Set<PersistentVolume>();
      const bindings: { claim: PersistentVolumeClaim; volume: PersistentVolume }[] = [];
      const provisions: PersistentVolumeClaim[] = [];
      for (const { claim, storage, promise, volumes: offered } of offers) {
        const promised = promise !== undefined && 'node' in promise ? promise.node : undefined;
        const selected = claim.metadata.annotations?.[SELECTED_NODE] ?? promised;
        if (selected !== undefined && selected !== there.name) return NOTHING_TO_BIND;
        const isOffered = (v: PersistentVolume): boolean =>
          !taken.has(v) && isReachable(v, there) && isMeant(v, promise);
        const volume = selected === undefined ? offered.find(isOffered) : undefined;
        if (volume !== undefined) {
          taken.add(volume);
          bindings.push({ claim, volume });
          continue;
        }
        if (promise !== undefined && 'volume' in promise) return NOTHING_TO_BIND;
        const obstacle = this.#cannotMake(claim, storage, node);
        if (obstacle !== undefined) return obstacle;
        provisions.push(claim);
      }
      return { bindings, provisions };
    };
  }

  /** Why no volume can be made for a claim at a node. */
  #cannotMake(claim: PersistentVolumeClaim, storage: StorageClass | undefined, node: Node): Refusal | undefined {
    if (storage === undefined || storage.provisioner === '' || storage.provisioner === NO_PROVISIONER) {
      return NOTHING_TO_BIND;
    }
    const { labels = {} } = node.metadata;
    const allowed = storage.allowedTopologies ?? [];
    const isAllowed = ({ matchLabelExpressions = [] }: (typeof allowed)[number]): boolean =>
      matchLabelExpressions.every(({ key, values }) => values.includes(memberOf(labels, key) ?? ''));
    if (allowed.length > 0 && !allowed.some(isAllowed)) return NOTHING_TO_BIND;
    if (this.#drivers.get(storage.provisioner)?.spec.storageCapacity !== true) return undefined;
    const wanted = wantedBytes(claim);
    const hasRoom = this.#capacities.byIndex('class', storage.metadata.name ?? '').some((capacity) => {
      const limit = capacity.maximumVolumeSize ?? capacity.capacity;
      return (
        limit !== undefined &&
        resourceAmount('storage', limit) >= wanted &&
        matchesLabels(storedSelector(capacity.nodeTopology), labels)
      );
    });
    return hasRoom ? undefined : NO_STORAGE;
  }

  /** The volume says whose it is; its controller does the rest. */
  async #bind(claim: PersistentVolumeClaim, volume: PersistentVolume, context: CallContext): Promise<void> {
    if (volume.spec?.claimRef?.uid === claim.metadata.uid && claim.metadata.uid !== undefined) return;
    const { name, namespace, uid, resourceVersion } = claim.metadata;
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid, resourceVersion };
    const patch = {
      metadata: {
        resourceVersion: volume.metadata.resourceVersion,
        annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' },
      },
      spec: { claimRef },
    };
    const volumes = this.#handle.client.resource(VOLUMES);
    await volumes.patch(volume.metadata.name ?? '', 'merge', patch, undefined, context);
  }

  async #select(claim: PersistentVolumeClaim, node: string, context: CallContext): Promise<PersistentVolumeClaim> {
    if (claim.metadata.annotations?.[SELECTED_NODE] === node) return claim;
    const { resourceVersion, name = '', namespace = '' } = claim.metadata;
    const patch = { metadata: { resourceVersion, annotations: { [SELECTED_NODE]: node } } };
    return this.#handle.client.resource(CLAIMS, namespace).patch(name, 'merge', patch, undefined, context);
  }

  #untilBound(demand: PodDemand, { node, bound, asked }: Awaited, { signal }: CallContext): Promise<void> {
    const { clock } = this.#handle;
    const done = Promise.withResolvers<void>();
    const isDone = (): boolean =>
      claimsOf(demand).every(({ key }) => {
        const claim = this.#world.claims.get(key);
        // Not before its phase says so too: a kubelet that finds it pending looks again ten seconds later.
        return claim !== undefined && isBound(claim) && claim.status?.phase === 'Bound';
      });
    const look = (): void => {
      const obstacle = this.#givenUp(asked, node) ?? this.#outOfReach(bound, node);
      if (obstacle !== undefined) done.reject(new VolumeBindingError(demand.key, obstacle));
      else if (isDone()) done.resolve();
    };
    const giveUp = clock.after(this.#timeoutMs, () =>
      done.reject(new VolumeBindingError(demand.key, `timed out after ${this.#timeoutMs / 1_000} s`)),
    );
    this.#waiting.add(look);
    look();
    const settled = signal === undefined ? done.promise : orAborted(done.promise, signal);
    return settled.finally(() => {
      giveUp.cancel();
      this.#waiting.delete(look);
    });
  }

  /** Why the volumes that were asked for will not come to this node: another one has to be chosen. */
  #givenUp(asked: readonly PersistentVolumeClaim[], node: string): string | undefined {
    for (const { metadata } of asked) {
      const { name = '', namespace = '', uid } = metadata;
      const claim = this.#world.claims.get(`${namespace}/${name}`);
      if (claim === undefined || claim.metadata.uid !== uid) return `persistentvolumeclaim "${name}" not found`;
      // The cache may not have heard of the wish yet.
      if (Number(claim.metadata.resourceVersion ?? 0) < Number(metadata.resourceVersion ?? 0)) continue;
      if (!isBound(claim)) {
        if (claim.metadata.annotations?.[SELECTED_NODE] === node) continue;
        return `selectedNode annotation reset for PVC "${name}"`;
      }
    }
    return this.#outOfReach(asked, node);
  }

  /** A volume that one of the claims got in the end, perhaps by somebody else, and that the node does not reach. */
  #outOfReach(claims: readonly PersistentVolumeClaim[], node: string): string | undefined {
    const { nodes } = this.#handle.snapshot;
    const chosen = nodes.nodes[nodes.slotOf(node) ?? -1];
    if (chosen === undefined) return undefined;
    const there = selectable(chosen);
    for (const { metadata } of claims) {
      const claim = this.#world.claims.get(`${metadata.namespace ?? ''}/${metadata.name ?? ''}`);
      const volume =
        claim !== undefined && isBound(claim) ? this.#world.volumes.get(claim.spec.volumeName ?? '') : undefined;
      if (volume === undefined || isReachable(volume, there)) continue;
      return `pv "${volume.metadata.name ?? ''}" node affinity doesn't match node "${node}"`;
    }
    return undefined;
  }
}

/** See VolumeBinding. */
export const volumeBinding: PluginFactory = {
  name: 'VolumeBinding',
  create: (handle, args) => new VolumeBinding(handle, argumentsOf<VolumeBindingArgs>(args, {})),
};
