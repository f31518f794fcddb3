import type { ResourceRef } from '@binnacle/api';
import type { StatefulSet } from '@binnacle/api/apps/v1';
import type { PersistentVolume, PersistentVolumeClaim } from '@binnacle/api/core/v1';
import type { PodDisruptionBudget } from '@binnacle/api/policy/v1';
import type { CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment } from '@binnacle/api/storage/v1';
import type { KubeObject } from '@binnacle/machinery';

function ref<T extends KubeObject>(group: string, resource: string, kind: string): ResourceRef<T> {
  return { group, version: 'v1', resource, kind, namespaced: true };
}

function clusterWide<T extends KubeObject>(group: string, resource: string, kind: string): ResourceRef<T> {
  return { ...ref<T>(group, resource, kind), namespaced: false };
}

/** Kinds that only plugins look at. */
export const STATEFUL_SETS = ref<StatefulSet>('apps', 'statefulsets', 'StatefulSet');
export const POD_DISRUPTION_BUDGETS = ref<PodDisruptionBudget>('policy', 'poddisruptionbudgets', 'PodDisruptionBudget');
export const CLAIMS = ref<PersistentVolumeClaim>('', 'persistentvolumeclaims', 'PersistentVolumeClaim');
export const VOLUMES = clusterWide<PersistentVolume>('', 'persistentvolumes', 'PersistentVolume');
export const STORAGE_CLASSES = clusterWide<StorageClass>('storage.k8s.io', 'storageclasses', 'StorageClass');
export const CSI_NODES = clusterWide<CSINode>('storage.k8s.io', 'csinodes', 'CSINode');
export const STORAGE_CAPACITIES = ref<CSIStorageCapacity>(
  'storage.k8s.io',
  'csistoragecapacities',
  'CSIStorageCapacity',
);
export const CSI_DRIVERS = clusterWide<CSIDriver>('storage.k8s.io', 'csidrivers', 'CSIDriver');
export const VOLUME_ATTACHMENTS = clusterWide<VolumeAttachment>(
  'storage.k8s.io',
  'volumeattachments',
  'VolumeAttachment',
);
