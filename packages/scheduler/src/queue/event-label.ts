import type { ClusterEvent } from '../plan/framework.ts';

/** What upstream calls the kinds that plugins listen to, with the group where it is none of the first. */
const NAMES: { readonly [resource: string]: string } = {
  pods: 'AssignedPod',
  pendingpods: 'UnschedulablePod',
  nodes: 'Node',
  namespaces: 'Namespace',
  persistentvolumes: 'PersistentVolume',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  csinodes: 'storage.k8s.io/CSINode',
  csidrivers: 'storage.k8s.io/CSIDriver',
  csistoragecapacities: 'storage.k8s.io/CSIStorageCapacity',
  storageclasses: 'storage.k8s.io/StorageClass',
  volumeattachments: 'storage.k8s.io/VolumeAttachment',
  resourceclaims: 'resource.k8s.io/ResourceClaim',
  resourceslices: 'resource.k8s.io/ResourceSlice',
  deviceclasses: 'resource.k8s.io/DeviceClass',
};
const ACTIONS = { add: 'Add', update: 'Update', delete: 'Delete' } as const;

/** The event as figures name it: `NodeAdd`. What changed of an object is not told apart. */
export function eventLabel({ resource, action }: ClusterEvent): string {
  return `${NAMES[resource] ?? resource}${ACTIONS[action]}`;
}
