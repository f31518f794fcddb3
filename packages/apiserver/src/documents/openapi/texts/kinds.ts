/** All that is said of kinds and their parts, by struct. */
import { ACCESS_TEXTS } from './access.ts';
import { ADMISSION_TEXTS } from './admission.ts';
import { CLAIM_TEXTS } from './claims.ts';
import { CLUSTER_TEXTS } from './cluster.ts';
import { DEFINITION_TEXTS } from './definitions.ts';
import { DEVICE_TEXTS } from './devices.ts';
import { NETWORK_TEXTS } from './networks.ts';
import { OBJECT_TEXTS } from './objects.ts';
import { PART_TEXTS } from './parts.ts';
import { POD_TEXTS } from './pods.ts';
import { SCALING_TEXTS } from './scaling.ts';
import { STORAGE_TEXTS } from './storage.ts';
import { VOLUME_TEXTS } from './volumes.ts';
import { WORKLOAD_TEXTS } from './workloads.ts';

export const KIND_TEXTS: { readonly [struct: string]: { readonly [field: string]: string } } = {
  ...POD_TEXTS,
  ...OBJECT_TEXTS,
  ...PART_TEXTS,
  ...WORKLOAD_TEXTS,
  ...NETWORK_TEXTS,
  ...STORAGE_TEXTS,
  ...DEFINITION_TEXTS,
  ...VOLUME_TEXTS,
  ...DEVICE_TEXTS,
  ...CLUSTER_TEXTS,
  ...SCALING_TEXTS,
  ...ADMISSION_TEXTS,
  ...ACCESS_TEXTS,
  ...CLAIM_TEXTS,
};
