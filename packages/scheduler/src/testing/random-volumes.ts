import type { ResourceRef } from '@binnacle/api';
import type { KubeObject } from '@binnacle/machinery';
import type { ClusterEvent } from '../plan/framework.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@binnacle/api/core/v1';
import type { CSINode, StorageClass, VolumeAttachment } from '@binnacle/api/storage/v1';
import { CLAIMS, CSI_NODES, STORAGE_CLASSES, VOLUME_ATTACHMENTS, VOLUMES } from '../refs.ts';
import type { Dice } from './random-objects.ts';
import type { Scene } from './scene.ts';

/** What there is of storage, as lists. */
export interface Storage {
  readonly claims: readonly PersistentVolumeClaim[];
  readonly volumes: readonly PersistentVolume[];
  readonly classes: readonly StorageClass[];
  readonly csiNodes: readonly CSINode[];
  readonly attachments: readonly VolumeAttachment[];
}

/** The same, as it changes in a history. */
export interface ChangingStorage extends Storage {
  readonly claims: PersistentVolumeClaim[];
  readonly volumes: PersistentVolume[];
  readonly csiNodes: CSINode[];
  readonly attachments: VolumeAttachment[];
}

export const NO_STORAGE: Storage = { claims: [], volumes: [], classes: [], csiNodes: [], attachments: [] };

const ZONE = 'topology.kubernetes.io/zone';
const DRIVER = 'csi.example.com';
const CLAIM_COUNT = 10;
const VOLUME_COUNT = 8;

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

function randomVolume(dice: Dice, i: number): PersistentVolume {
  const [key, values] = dice.chance(50)
    ? [ZONE, dice.some(70, () => dice.one(['a', 'b', 'c'])).concat('a')]
    : ['kubernetes.io/hostname', [`n${dice.below(9)}`]];
  const required = { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In' as const, values }] }] };
  return {
    metadata: { name: `v${i}`, labels: dice.chance(50) ? { [ZONE]: dice.one(['a', 'b', 'a__b']) } : {} },
    spec: {
      capacity: { storage: dice.one(['1Gi', '2Gi', '5Gi']) },
      accessModes: dice.chance(80) ? ['ReadWriteOnce'] : ['ReadWriteOnce', 'ReadWriteMany'],
      storageClassName: dice.one(['late', 'late', 'made', '']),
      ...(dice.chance(10) ? { volumeMode: 'Block' } : {}),
      ...(dice.chance(60) ? { nodeAffinity: { required } } : {}),
      ...(dice.chance(10) ? { claimRef: { namespace: 'default', name: `c${dice.below(CLAIM_COUNT)}` } } : {}),
      ...(dice.chance(40) ? { csi: { driver: DRIVER, volumeHandle: `h${i}` } } : {}),
    },
    status: { phase: dice.chance(85) ? 'Available' : 'Released' },
  };
}

function randomClaim(dice: Dice, i: number): PersistentVolumeClaim {
  const isBound = dice.chance(40);
  const annotations = {
    ...(isBound ? { 'pv.kubernetes.io/bind-completed': 'yes' } : {}),
    ...(dice.chance(10) ? { 'volume.kubernetes.io/selected-node': `n${dice.below(9)}` } : {}),
  };
  const phase = isBound ? 'Bound' : 'Pending';
  return {
    metadata: {
      name: `c${i}`,
      namespace: 'default',
      uid: `claim-${i}`,
      annotations,
      ...(dice.chance(3) ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: {
      accessModes: [dice.one(['ReadWriteOnce', 'ReadWriteOnce', 'ReadWriteMany', 'ReadWriteOncePod'] as const)],
      storageClassName: dice.one(['late', 'late', 'made', dice.chance(80) ? 'made' : 'now']),
      resources: { requests: { storage: dice.one(['1Gi', '2Gi', '5Gi']) } },
      ...(isBound ? { volumeName: `v${dice.below(VOLUME_COUNT + 1)}` } : {}),
    },
    status: { phase: dice.chance(3) ? 'Lost' : phase },
  };
}

/** What may become of a volume: not where it is, nor who serves it. */
function changedVolume({ metadata, spec, status }: PersistentVolume, before: PersistentVolume): PersistentVolume {
  const { claimRef: _, ...fixed } = before.spec;
  const { claimRef } = spec;
  return { metadata, spec: { ...fixed, ...(claimRef === undefined ? {} : { claimRef }) }, ...(status && { status }) };
}

/** What may become of a claim: whoever has a volume keeps it. */
function changedClaim(
  { metadata, spec, status }: PersistentVolumeClaim,
  before: PersistentVolumeClaim,
): PersistentVolumeClaim {
  const { volumeName: _, ...fixed } = before.spec;
  const { volumeName } = spec;
  if (before.spec.volumeName !== undefined) return { ...before, ...(status && { status }) };
  return {
    metadata,
    spec: { ...fixed, ...(volumeName === undefined ? {} : { volumeName }) },
    ...(status && { status }),
  };
}

function randomCsiNode(dice: Dice, i: number): CSINode {
  const driver = { name: DRIVER, nodeID: `n${i}`, topologyKeys: [], allocatable: { count: dice.below(4) } };
  return { metadata: { name: `n${i}` }, spec: { drivers: dice.chance(70) ? [driver] : [] } };
}

/** Claims in namespace `default` and what they may be bound to: static volumes, and such as a driver makes. */
export function randomStorage(dice: Dice): ChangingStorage {
  const allowed = [{ matchLabelExpressions: [{ key: ZONE, values: ['a', 'b'] }] }];
  const late = { volumeBindingMode: 'WaitForFirstConsumer' as const };
  return {
    classes: [
      { metadata: { name: 'late' }, provisioner: 'kubernetes.io/no-provisioner', ...late },
      {
        metadata: { name: 'made' },
        provisioner: DRIVER,
        ...late,
        ...(dice.chance(50) ? { allowedTopologies: allowed } : {}),
      },
      { metadata: { name: 'now' }, provisioner: DRIVER, volumeBindingMode: 'Immediate' },
    ],
    volumes: times(VOLUME_COUNT, (i) => randomVolume(dice, i)),
    claims: times(CLAIM_COUNT, (i) => randomClaim(dice, i)),
    csiNodes: times(9, (i) => randomCsiNode(dice, i)),
    attachments: dice.some(
      60,
      () => ({
        metadata: { name: `a${dice.below(1_000_000)}` },
        spec: {
          attacher: DRIVER,
          nodeName: `n${dice.below(9)}`,
          source: { persistentVolumeName: `v${dice.below(VOLUME_COUNT)}` },
        },
      }),
      6,
    ),
  };
}

/** Something of the storage changes, and the scene's plugins see it; what the scheduler would be told. */
export function changeStorage(scene: Scene, storage: ChangingStorage, dice: Dice): ClusterEvent | undefined {
  const change = <T extends KubeObject>(
    ref: ResourceRef<T>,
    list: T[],
    make: (i: number, before: T) => T,
  ): ClusterEvent | undefined => {
    const i = dice.below(list.length);
    const before = list[i];
    if (before === undefined) return undefined;
    const after = make(i, before);
    list[i] = after;
    scene.object(ref, after);
    return { resource: ref.resource, action: 'update', before, after };
  };
  const drop = <T extends KubeObject>(ref: ResourceRef<T>, list: T[]): ClusterEvent | undefined => {
    const [before] = list.splice(dice.below(Math.max(1, list.length)), 1);
    if (before === undefined) return undefined;
    scene.remove(ref, before);
    return { resource: ref.resource, action: 'delete', before };
  };
  /** One of those that are not there. */
  const add = <T extends KubeObject>(ref: ResourceRef<T>, list: T[], made: T): ClusterEvent | undefined => {
    if (list.some(({ metadata }) => metadata.name === made.metadata.name)) return undefined;
    list.push(made);
    scene.object(ref, made);
    return { resource: ref.resource, action: 'add', after: made };
  };
  const numberOf = ({ metadata }: KubeObject): number => Number(metadata.name?.slice(1));
  switch (dice.below(9)) {
    case 0:
      return change(VOLUMES, storage.volumes, (_, before) =>
        changedVolume(randomVolume(dice, numberOf(before)), before),
      );
    case 1:
      return change(CLAIMS, storage.claims, (_, before) => changedClaim(randomClaim(dice, numberOf(before)), before));
    case 2:
      return change(CSI_NODES, storage.csiNodes, (_, before) => randomCsiNode(dice, numberOf(before)));
    case 3:
      return drop(VOLUMES, storage.volumes);
    case 4:
      return add(VOLUMES, storage.volumes, randomVolume(dice, dice.below(VOLUME_COUNT)));
    case 5:
      return add(CLAIMS, storage.claims, randomClaim(dice, dice.below(CLAIM_COUNT + 1)));
    case 6:
      return drop(CSI_NODES, storage.csiNodes);
    case 7:
      return add(CSI_NODES, storage.csiNodes, randomCsiNode(dice, dice.below(9)));
    default: {
      const before = storage.attachments.pop();
      if (before === undefined) return undefined;
      scene.remove(VOLUME_ATTACHMENTS, before);
      return { resource: VOLUME_ATTACHMENTS.resource, action: 'delete', before };
    }
  }
}

/** The scene's plugins see the storage. */
export function showStorage(scene: Scene, storage: Storage): void {
  for (const one of storage.classes) scene.object(STORAGE_CLASSES, one);
  for (const one of storage.volumes) scene.object(VOLUMES, one);
  for (const one of storage.claims) scene.object(CLAIMS, one);
  for (const one of storage.csiNodes) scene.object(CSI_NODES, one);
  for (const one of storage.attachments) scene.object(VOLUME_ATTACHMENTS, one);
}

/** A pod with volumes, where the dice fall so: claims, and disks that are named in the pod. */
export function withRandomVolumes(dice: Dice, pod: Pod): Pod {
  if (pod.metadata.namespace !== 'default' || !dice.chance(45)) return pod;
  const claimed = dice.some(65, (): Volume => {
    const claimName = `c${dice.below(CLAIM_COUNT + (dice.chance(5) ? 1 : 0))}`;
    return { name: `${claimName}-${dice.below(1_000)}`, persistentVolumeClaim: { claimName } };
  });
  const readOnly = dice.chance(40);
  const disks = dice.some(20, (): Volume =>
    dice.one<Volume>([
      { name: 'gce', gcePersistentDisk: { pdName: dice.one(['x', 'y']), readOnly } },
      { name: 'aws', awsElasticBlockStore: { volumeID: dice.one(['x', 'y']), readOnly } },
      { name: 'iscsi', iscsi: { targetPortal: '10.0.0.1', iqn: dice.one(['x', 'y']), lun: 0, readOnly } },
      { name: 'rbd', rbd: { monitors: dice.one([['m', 'n'], ['n'], ['o']]), image: 'i', readOnly } },
    ]),
  );
  return { ...pod, spec: { ...pod.spec, volumes: [...claimed, ...disks] } };
}
