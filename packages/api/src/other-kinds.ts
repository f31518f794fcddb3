import { ADMISSION_KINDS } from './admissionregistration/kinds.ts';
import { EXTENSION_KINDS } from './apiextensions/kinds.ts';
import { REGISTRATION_KINDS } from './apiregistration/kinds.ts';
import { AUTOSCALING_KINDS } from './autoscaling/kinds.ts';
import { BATCH_KINDS } from './batch/kinds.ts';
import { CERTIFICATE_KINDS } from './certificates/kinds.ts';
import { ENDPOINT_SLICE_RULES } from './discovery/rules.ts';
import { FLOW_CONTROL_KINDS } from './flowcontrol/kinds.ts';
import type { KindRules } from './kind.ts';
import { NETWORKING_KINDS } from './networking/kinds.ts';
import { RUNTIME_CLASS_RULES } from './node/runtime-class/rules.ts';
import { DISRUPTION_BUDGET_RULES } from './policy/rules.ts';
import { RESOURCE_KINDS } from './resource/kinds.ts';
import { PRIORITY_CLASS_RULES } from './scheduling/rules.ts';
import { STORAGE_KINDS } from './storage/kinds.ts';

/** Rules of the smaller groups, by group and kind. */
export const OTHER_KINDS: { readonly [group: string]: { readonly [kind: string]: KindRules } } = {
  'admissionregistration.k8s.io': ADMISSION_KINDS,
  'apiextensions.k8s.io': EXTENSION_KINDS,
  'apiregistration.k8s.io': REGISTRATION_KINDS,
  autoscaling: AUTOSCALING_KINDS,
  batch: BATCH_KINDS,
  'certificates.k8s.io': CERTIFICATE_KINDS,
  'discovery.k8s.io': { EndpointSlice: ENDPOINT_SLICE_RULES },
  'flowcontrol.apiserver.k8s.io': FLOW_CONTROL_KINDS,
  'networking.k8s.io': NETWORKING_KINDS,
  'node.k8s.io': { RuntimeClass: RUNTIME_CLASS_RULES },
  policy: { PodDisruptionBudget: DISRUPTION_BUDGET_RULES },
  'resource.k8s.io': RESOURCE_KINDS,
  'scheduling.k8s.io': { PriorityClass: PRIORITY_CLASS_RULES },
  'storage.k8s.io': STORAGE_KINDS,
};
