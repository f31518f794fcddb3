import { wellknown } from '@binnacle/api';
/** On a claim: its binding is complete. */
export const BIND_COMPLETED = wellknown.ANNOTATION_BIND_COMPLETED;
/** On a claim or a volume: the controller chose its counterpart, not the user. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
/** On a volume: who made it, and has to delete it. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** On a claim: who is to make its volume. */
export const PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
/** The same under the name that older provisioners look at. */
export const PROVISIONER_BETA = 'volume.beta.kubernetes.io/storage-provisioner';
/** On a claim, written by the scheduler: where its volume shall be made. */
export const SELECTED_NODE = wellknown.ANNOTATION_SELECTED_NODE;
