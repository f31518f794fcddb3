import { matchesNodeSelector, resourceAmount } from '@binnacle/api';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@binnacle/api/core/v1';
import { NO_STORAGE } from './random-volumes.ts';
import type { Storage } from './random-volumes.ts';

/** The definition of the volume plugins in plain words, as naive.ts of the others. */

/** A cluster as the volume plugins see it. */
export interface StoredCluster {
  readonly nodes: readonly Node[];
  readonly placed: readonly { readonly pod: Pod; readonly node: string }[];
  readonly storage?: Storage;
}

const DELAY = 'WaitForFirstConsumer';

const claimNames = (pod: Pod): string[] =>
  (pod.spec.volumes ?? []).flatMap((v) => v.persistentVolumeClaim?.claimName ?? []);
const claimNamed = ({ claims }: Storage, name: string): PersistentVolumeClaim | undefined =>
  claims.find((c) => c.metadata.name === name);
const claimsOf = (storage: Storage, pod: Pod): PersistentVolumeClaim[] =>
  claimNames(pod).flatMap((name) => claimNamed(storage, name) ?? []);
const volumeOf = ({ volumes }: Storage, claim: PersistentVolumeClaim): PersistentVolume | undefined =>
  volumes.find((v) => v.metadata.name === claim.spec.volumeName);
const isBound = ({ spec, metadata }: PersistentVolumeClaim): boolean =>
  spec.volumeName !== undefined && metadata.annotations?.['pv.kubernetes.io/bind-completed'] !== undefined;
const sizeOf = (amount: string | undefined): number => resourceAmount('storage', amount ?? '0');
const reaches = ({ spec }: PersistentVolume, node: Node): boolean =>
  spec.nodeAffinity?.required === undefined ||
  matchesNodeSelector(spec.nodeAffinity.required, { name: node.metadata.name ?? '', labels: node.metadata.labels });

/** Whether a pod fits nowhere, as its claims are not such that any node could help. */
export function naiveUnclaimable({ storage = NO_STORAGE }: StoredCluster, pod: Pod): boolean {
  return claimNames(pod).some((name) => {
    const claim = claimNamed(storage, name);
    if (claim === undefined || claim.status?.phase === 'Lost') return true;
    if (claim.metadata.deletionTimestamp !== undefined) return true;
    if (isBound(claim)) return false;
    const storageClass = storage.classes.find((c) => c.metadata.name === claim.spec.storageClassName);
    return claim.spec.volumeName !== undefined || storageClass?.volumeBindingMode !== DELAY;
  });
}

/** The volume plugin that refuses a node first, in their order. */
export function naiveVolumeRefusal(cluster: StoredCluster, pod: Pod, node: Node): string | undefined {
  const { storage = NO_STORAGE, nodes } = cluster;
  // Of a node that is gone nothing is known.
  const placed = cluster.placed.filter((p) => nodes.some((n) => n.metadata.name === p.node));
  const there = placed.filter((p) => p.node === node.metadata.name).map((p) => p.pod);
  const isAlone = claimsOf(storage, pod).some(
    (claim) =>
      claim.spec.accessModes?.includes('ReadWriteOncePod') === true &&
      placed.some(
        (p) => p.pod.metadata.namespace === 'default' && claimNames(p.pod).includes(claim.metadata.name ?? ''),
      ),
  );
  const disks = (one: Pod): readonly Volume[] => one.spec.volumes ?? [];
  if (isAlone || there.some((other) => disks(other).some((a) => disks(pod).some((b) => collide(a, b))))) {
    return 'VolumeRestrictions';
  }
  if (!hasPlaces(storage, [pod, there], node)) return 'NodeVolumeLimits';
  if (!canBind(storage, pod, node)) return 'VolumeBinding';
  return isInZone(storage, pod, node) ? undefined : 'VolumeZone';
}

function collide(a: Volume, b: Volume): boolean {
  const [gce, gce2] = [a.gcePersistentDisk, b.gcePersistentDisk];
  if (gce !== undefined && gce.pdName === gce2?.pdName) return !(gce.readOnly === true && gce2.readOnly === true);
  const [aws, aws2] = [a.awsElasticBlockStore, b.awsElasticBlockStore];
  if (aws !== undefined) return aws.volumeID === aws2?.volumeID;
  const [iscsi, iscsi2] = [a.iscsi, b.iscsi];
  if (iscsi !== undefined && iscsi.iqn === iscsi2?.iqn) return !(iscsi.readOnly === true && iscsi2.readOnly === true);
  const [rbd, rbd2] = [a.rbd, b.rbd];
  if (rbd === undefined || rbd2 === undefined) return false;
  const isSame = rbd.image === rbd2.image && rbd.monitors.some((m) => rbd2.monitors.includes(m));
  return isSame && !(rbd.readOnly === true && rbd2.readOnly === true);
}

/** What of a driver's volumes a pod uses: handles, or the claims that will have one. */
function driven(storage: Storage, pod: Pod, driver: string): string[] {
  return claimsOf(storage, pod).flatMap((claim) => {
    const csi = volumeOf(storage, claim)?.spec.csi;
    if (csi !== undefined) return csi.driver === driver ? [csi.volumeHandle] : [];
    const storageClass = storage.classes.find((c) => c.metadata.name === claim.spec.storageClassName);
    return isBound(claim) || storageClass?.provisioner !== driver ? [] : [`to be made for ${claim.metadata.name}`];
  });
}

function hasPlaces(storage: Storage, [pod, there]: readonly [Pod, readonly Pod[]], { metadata }: Node): boolean {
  const drivers = storage.csiNodes.find((n) => n.metadata.name === metadata.name)?.spec.drivers ?? [];
  return drivers.every(({ name, allocatable }) => {
    const attached = storage.attachments
      .filter(({ spec }) => spec.nodeName === metadata.name && spec.attacher === name)
      .flatMap(({ spec }) => {
        const volume = storage.volumes.find((v) => v.metadata.name === spec.source.persistentVolumeName);
        return volume?.spec.csi?.volumeHandle ?? [];
      });
    const before = new Set([...attached, ...there.flatMap((other) => driven(storage, other, name))]);
    const after = new Set([...before, ...driven(storage, pod, name)]);
    return after.size === before.size || after.size <= (allocatable?.count ?? Infinity);
  });
}

function canBind(storage: Storage, pod: Pod, node: Node): boolean {
  const claims = claimsOf(storage, pod);
  const bound = claims.filter(isBound).map((claim) => volumeOf(storage, claim));
  if (!bound.every((volume) => volume !== undefined && reaches(volume, node))) return false;
  const taken = new Set<PersistentVolume>();
  return claims
    .filter((claim) => !isBound(claim))
    .toSorted((a, b) => wantedSize(a) - wantedSize(b))
    .every((claim) => {
      const selected = claim.metadata.annotations?.['volume.kubernetes.io/selected-node'];
      if (selected !== undefined && selected !== node.metadata.name) return false;
      const found =
        selected === undefined ? staticVolume(storage, claim, (v) => !taken.has(v) && reaches(v, node)) : undefined;
      if (found !== undefined) taken.add(found);
      return found !== undefined || canMake(storage, claim, node);
    });
}

const wantedSize = ({ spec }: PersistentVolumeClaim): number => sizeOf(spec.resources?.requests?.['storage']);

/** One that is kept for the claim; else the smallest that will do. */
function staticVolume(
  { volumes }: Storage,
  claim: PersistentVolumeClaim,
  isFree: (volume: PersistentVolume) => boolean,
): PersistentVolume | undefined {
  const keptFor = ({ spec }: PersistentVolume): string | undefined => spec.claimRef?.name;
  const modes = claim.spec.accessModes ?? [];
  const fitting = volumes.filter(
    (v) =>
      isFree(v) &&
      (v.spec.volumeMode ?? 'Filesystem') === 'Filesystem' &&
      sizeOf(v.spec.capacity?.['storage']) >= wantedSize(claim),
  );
  const kept = fitting.filter((v) => keptFor(v) === claim.metadata.name);
  const free = fitting.filter(
    (v) =>
      keptFor(v) === undefined &&
      v.status?.phase === 'Available' &&
      v.spec.storageClassName === claim.spec.storageClassName &&
      modes.every((mode) => v.spec.accessModes?.includes(mode) === true),
  );
  const smallest = (all: PersistentVolume[]): PersistentVolume | undefined =>
    all.toSorted((a, b) => sizeOf(a.spec.capacity?.['storage']) - sizeOf(b.spec.capacity?.['storage']))[0];
  return smallest(kept) ?? smallest(free);
}

function canMake({ classes }: Storage, claim: PersistentVolumeClaim, node: Node): boolean {
  const storageClass = classes.find((c) => c.metadata.name === claim.spec.storageClassName);
  if (storageClass === undefined || storageClass.provisioner === 'kubernetes.io/no-provisioner') return false;
  const { allowedTopologies = [] } = storageClass;
  const isAllowed = allowedTopologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(node.metadata.labels?.[key] ?? '')),
  );
  return allowedTopologies.length === 0 || isAllowed;
}

const ZONE = 'topology.kubernetes.io/zone';

function isInZone(storage: Storage, pod: Pod, node: Node): boolean {
  const own = node.metadata.labels?.[ZONE];
  return claimsOf(storage, pod).every((claim) => {
    const zones = volumeOf(storage, claim)?.metadata.labels?.[ZONE];
    return zones === undefined || own === undefined || zones.split('__').includes(own);
  });
}
