import { PODS } from '@binnacle/api';
import type { Container, PersistentVolume, Pod, Volume } from '@binnacle/api/core/v1';
import type { ResourceSlice } from '@binnacle/api/resource/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { CacheReader } from '../ports/reader.ts';

/** What a node may reach through the pods that run on it. */
export type ReachableResource =
  | 'secrets'
  | 'configmaps'
  | 'persistentvolumeclaims'
  | 'persistentvolumes'
  | 'serviceaccounts'
  | 'resourceclaims'
  | 'resourceslices'
  | 'pods';

const VOLUMES = { group: '', resource: 'persistentvolumes' };
const SLICES = { group: 'resource.k8s.io', resource: 'resourceslices' };

/**
 * Which node may read which object: nodes are reached from objects through the pods that name them. Pods name
 * their references at creation and keep them, so only binding and deletion change the graph.
 */
export class NodeGraph {
  /** `resource/namespace/name` → node → how many pods of it. */
  readonly #nodes = new Map<string, Map<string, number>>();
  readonly #volumes = new Map<string, { readonly claim: string; readonly secrets: readonly string[] }>();
  /** Secret → the volumes that need it. */
  readonly #volumesBySecret = new Map<string, Set<string>>();
  readonly #stops: (() => void)[];

  constructor(cache: CacheReader) {
    this.#stops = [
      cache.follow(PODS, (before, after) => this.#followPod(before, after)),
      cache.follow(VOLUMES, (before, after) => this.#followVolume(before, after)),
      cache.follow(SLICES, (before, after) => this.#followSlice(before, after)),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  reaches(nodeName: string, resource: ReachableResource, object: { namespace: string; name: string }): boolean {
    const key = keyOf(resource, object.namespace, object.name);
    if (resource === 'persistentvolumes') return this.#reachesVolume(nodeName, object.name);
    if (this.#nodes.get(key)?.has(nodeName) === true) return true;
    if (resource !== 'secrets') return false;
    return [...(this.#volumesBySecret.get(key) ?? [])].some((volume) => this.#reachesVolume(nodeName, volume));
  }

  #reachesVolume(nodeName: string, volume: string): boolean {
    const claim = this.#volumes.get(volume)?.claim;
    return claim !== undefined && this.#nodes.get(claim)?.has(nodeName) === true;
  }

  #followPod(before: KubeObject | undefined, after: KubeObject | undefined): void {
    const was = before as Pod | undefined;
    const is = after as Pod | undefined;
    const wasOn = was?.spec?.nodeName ?? '';
    const isOn = is?.spec?.nodeName ?? '';
    // Status changes by the thousand: the references of a bound pod stay what they are, claims made for it apart.
    if (wasOn === isOn && claimsOf(was) === claimsOf(is) && was !== undefined && is !== undefined) return;
    if (was !== undefined && wasOn !== '') this.#count(was, wasOn, -1);
    if (is !== undefined && isOn !== '') this.#count(is, isOn, 1);
  }

  #count(pod: Pod, nodeName: string, by: number): void {
    for (const key of referencesOf(pod)) {
      this.#link(key, nodeName, by);
    }
  }

  #link(key: string, nodeName: string, by: number): void {
    let nodes = this.#nodes.get(key);
    if (nodes === undefined) this.#nodes.set(key, (nodes = new Map()));
    const count = (nodes.get(nodeName) ?? 0) + by;
    if (count > 0) nodes.set(nodeName, count);
    else nodes.delete(nodeName);
    if (nodes.size === 0) this.#nodes.delete(key);
  }

  /** The devices of a node are its own; slices for several nodes are nobody's. */
  #followSlice(before: KubeObject | undefined, after: KubeObject | undefined): void {
    for (const [slice, by] of [
      [before, -1],
      [after, 1],
    ] as const) {
      const { metadata, spec } = (slice ?? { metadata: {} }) as Partial<ResourceSlice> & KubeObject;
      const nodeName = spec?.nodeName ?? '';
      if (nodeName !== '') this.#link(keyOf('resourceslices', '', metadata.name ?? ''), nodeName, by);
    }
  }

  #followVolume(before: KubeObject | undefined, after: KubeObject | undefined): void {
    const name = (after ?? before)?.metadata.name ?? '';
    for (const secret of this.#volumes.get(name)?.secrets ?? []) {
      const volumes = this.#volumesBySecret.get(secret);
      volumes?.delete(name);
      if (volumes?.size === 0) this.#volumesBySecret.delete(secret);
    }
    this.#volumes.delete(name);
    if (after === undefined) return;
    const volume = after as PersistentVolume;
    const claim = volume.spec?.claimRef;
    const secrets = secretsOfVolume(volume);
    this.#volumes.set(name, {
      claim: keyOf('persistentvolumeclaims', claim?.namespace ?? '', claim?.name ?? ''),
      secrets,
    });
    for (const secret of secrets) {
      const volumes = this.#volumesBySecret.get(secret) ?? new Set();
      this.#volumesBySecret.set(secret, volumes.add(name));
    }
  }
}

function keyOf(resource: ReachableResource, namespace: string, name: string): string {
  return `${resource}/${namespace}/${name}`;
}

function claimsOf(pod: Pod | undefined): string {
  return (pod?.status?.resourceClaimStatuses ?? []).map((claim) => claim.resourceClaimName ?? '').join(',');
}

/** Everything that a pod names, each once. */
function referencesOf(pod: Pod): ReadonlySet<string> {
  const namespace = pod.metadata.namespace ?? '';
  const found = new Set<string>([keyOf('pods', namespace, pod.metadata.name ?? '')]);
  const add = (resource: ReachableResource, name: string | undefined): void => {
    if (name !== undefined && name !== '') found.add(keyOf(resource, namespace, name));
  };
  const { spec, status } = pod;
  add('serviceaccounts', spec?.serviceAccountName);
  for (const secret of spec?.imagePullSecrets ?? []) add('secrets', secret.name);
  const containers = [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []),
    ...((spec?.ephemeralContainers ?? []) as readonly Container[]),
  ];
  for (const container of containers) addEnvironment(container, add);
  for (const volume of spec?.volumes ?? []) addVolume(volume, pod, add);
  for (const claim of spec?.resourceClaims ?? []) add('resourceclaims', claim.resourceClaimName);
  for (const claim of status?.resourceClaimStatuses ?? []) add('resourceclaims', claim.resourceClaimName);
  return found;
}

type Add = (resource: ReachableResource, name: string | undefined) => void;

function addEnvironment(container: Container, add: Add): void {
  for (const from of container.envFrom ?? []) {
    add('configmaps', from.configMapRef?.name);
    add('secrets', from.secretRef?.name);
  }
  for (const variable of container.env ?? []) {
    add('configmaps', variable.valueFrom?.configMapKeyRef?.name);
    add('secrets', variable.valueFrom?.secretKeyRef?.name);
  }
}

function addVolume(volume: Volume, pod: Pod, add: Add): void {
  add('secrets', volume.secret?.secretName);
  add('configmaps', volume.configMap?.name);
  add('persistentvolumeclaims', volume.persistentVolumeClaim?.claimName);
  if (volume.ephemeral !== undefined) add('persistentvolumeclaims', `${pod.metadata.name}-${volume.name}`);
  for (const source of volume.projected?.sources ?? []) {
    add('secrets', source.secret?.name);
    add('configmaps', source.configMap?.name);
  }
  for (const name of [
    volume.csi?.nodePublishSecretRef?.name,
    volume.cephfs?.secretRef?.name,
    volume.flexVolume?.secretRef?.name,
    volume.iscsi?.secretRef?.name,
    volume.rbd?.secretRef?.name,
    volume.scaleIO?.secretRef?.name,
    volume.storageos?.secretRef?.name,
    volume.azureFile?.secretName,
  ]) {
    add('secrets', name);
  }
}

function secretsOfVolume(volume: PersistentVolume): string[] {
  const csi = volume.spec?.csi;
  const references = [
    csi?.controllerPublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodePublishSecretRef,
    csi?.nodeExpandSecretRef,
    volume.spec?.cephfs?.secretRef,
    volume.spec?.flexVolume?.secretRef,
    volume.spec?.rbd?.secretRef,
    volume.spec?.iscsi?.secretRef,
  ];
  return references.flatMap((reference) =>
    reference?.name === undefined ? [] : [keyOf('secrets', reference.namespace ?? '', reference.name)],
  );
}
