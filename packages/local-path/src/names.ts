import { wellknown } from '@binnacle/api';
/** The name of the provisioner in storage classes and on what it made. */
export const PROVISIONER = 'binnacle.io/local-path';
/** On a volume: the node whose directory it is. */
export const NODE_ANNOTATION = 'binnacle.io/local-path-node';
/** On a volume: who made it, and has to delete it. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** On a claim, written by the volume binder: who is to make its volume. */
export const ASKED_OF = 'volume.kubernetes.io/storage-provisioner';
/** On a claim, written by the scheduler: where its volume shall be made. */
export const SELECTED_NODE = wellknown.ANNOTATION_SELECTED_NODE;
/** Keeps the object until its directory is gone, whoever deletes it first (KEP 2644). */
export const FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';

const VOLUME_NAME = /^pvc-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The name of the volume of a claim. */
export function volumeNameOf(claimUid: string): string {
  return `pvc-${claimUid}`;
}

/** Whether a volume or a directory can have got its name here. */
export function isVolumeName(name: string): boolean {
  return VOLUME_NAME.test(name);
}

/** Where a volume's data is. */
export function directoryOf(root: string, volumeName: string): string {
  return `${root}/${volumeName}`;
}
