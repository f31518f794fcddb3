import { configMapNamesOf, isMirrorPod, PODS, secretNamesOf } from '@binnacle/api';
import type { PersistentVolume, Pod } from '@binnacle/api/core/v1';
import type { ResourceSlice } from '@binnacle/api/resource/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { CacheReader } from '../ports/reader.ts';
import { nodeSecretsOf } from './volume-secrets.ts';

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
  /** `resource/namespace/name` → node → how many pods of it; the one node with one pod is there by its name alone. */
  readonly #nodes = new Map<string, string | Map<string, number>>();
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
    if (this.#isNamedOn(nodeName, key)) return true;
    if (resource !== 'secrets') return false;
    return [...(this.#volumesBySecret.get(key) ?? [])].some((volume) => this.#reachesVolume(nodeName, volume));
  }

  #reachesVolume(nodeName: string, volume: string): boolean {
    const claim = this.#volumes.get(volume)?.claim;
    return claim !== undefined && this.#isNamedOn(nodeName, claim);
  }

  #isNamedOn(nodeName: string, key: string): boolean {
    const nodes = this.#nodes.get(key);
    return nodes === nodeName || (typeof nodes === 'object' && nodes.has(nodeName));
  }

  #followPod(before: KubeObject | undefined, after: KubeObject | undefined): void {
    const was = before as Pod | undefined;
    const is = after as Pod | undefined;
    const wasOn = was?.spec?.nodeName ?? '';
    const isOn = is?.spec?.nodeName ?? '';
    // Status changes by the thousand: few of them change what a bound pod names.
    if (wasOn === isOn && was !== undefined && is !== undefined && namesTheSame(was, is)) return;
    if (was !== undefined && wasOn !== '') this.#count(was, wasOn, -1);
    if (is !== undefined && isOn !== '') this.#count(is, isOn, 1);
  }

  #count(pod: Pod, nodeName: string, by: number): void {
    for (const key of referencesOf(pod)) {
      this.#link(key, nodeName, by);
    }
  }

  #link(key: string, nodeName: string, by: number): void {
    const there = this.#nodes.get(key);
    // Most keys are of one pod, which comes once and goes once.
    if (there === undefined && by === 1) {
      this.#nodes.set(key, nodeName);
      return;
    }
    if (there === nodeName && by === -1) {
      this.#nodes.delete(key);
      return;
    }
    const nodes = typeof there === 'string' ? new Map([[there, 1]]) : (there ?? new Map<string, number>());
    const count = (nodes.get(nodeName) ?? 0) + by;
    if (count > 0) nodes.set(nodeName, count);
    else nodes.delete(nodeName);
    if (nodes.size === 0) this.#nodes.delete(key);
    else if (typeof there === 'string') this.#nodes.set(key, nodes);
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
    const secrets = nodeSecretsOf(volume).map(({ namespace, name }) => keyOf('secrets', namespace, name));
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

/** What a pod names stays as it is, but for containers that are added to look into it and claims that are made for it. */
function namesTheSame(was: Pod, is: Pod): boolean {
  return (
    was.metadata.uid === is.metadata.uid &&
    was.spec?.ephemeralContainers?.length === is.spec?.ephemeralContainers?.length &&
    claimsOf(was).join(',') === claimsOf(is).join(',')
  );
}

function claimsOf({ status }: Pod): string[] {
  const { resourceClaimStatuses = [], extendedResourceClaimStatus } = status ?? {};
  return [
    ...resourceClaimStatuses.map((claim) => claim.resourceClaimName ?? ''),
    extendedResourceClaimStatus?.resourceClaimName ?? '',
  ];
}

/** Everything that a pod names, each once. A node makes mirror pods itself: they give it nothing but themselves. */
function referencesOf(pod: Pod): ReadonlySet<string> {
  const namespace = pod.metadata.namespace ?? '';
  const found = new Set<string>([keyOf('pods', namespace, pod.metadata.name ?? '')]);
  if (isMirrorPod(pod)) return found;
  const add = (resource: ReachableResource, names: readonly (string | undefined)[]): void => {
    for (const name of names) if (name !== undefined && name !== '') found.add(keyOf(resource, namespace, name));
  };
  const { spec } = pod;
  add('serviceaccounts', [spec.serviceAccountName]);
  add('secrets', secretNamesOf(pod));
  add('configmaps', configMapNamesOf(pod));
  add(
    'persistentvolumeclaims',
    (spec.volumes ?? []).map(({ name, persistentVolumeClaim, ephemeral }) =>
      ephemeral === undefined ? persistentVolumeClaim?.claimName : `${pod.metadata.name}-${name}`,
    ),
  );
  add('resourceclaims', [...(spec.resourceClaims ?? []).map((claim) => claim.resourceClaimName), ...claimsOf(pod)]);
  return found;
}
