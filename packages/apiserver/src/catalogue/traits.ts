import type { ResourceInfo } from '@binnacle/api';

/** What upstream decides per resource by hand and is the same mechanism for each: data, not code. */
export interface Traits {
  /** `metadata.generation` counts the changes of the spec. */
  readonly generation: boolean;
  /** PUT without resourceVersion overwrites. */
  readonly unconditionalUpdate: boolean;
  /** PUT on a name that does not exist creates it. */
  readonly createOnUpdate: boolean;
  /** DELETE answers with the object in place of a Status. */
  readonly returnsDeleted: boolean;
  /** Deletion leaves the dependents unless the caller says otherwise. */
  readonly orphansByDefault: boolean;
  /** Seconds after which an object goes away by itself. */
  readonly ttlSeconds: number;
}

const names = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

// Named by resource and group as in messages; sources: the strategy of each kind in upstream's registry.
const GENERATION = names(`
  pods replicationcontrollers podtemplates
  deployments.apps replicasets.apps statefulsets.apps daemonsets.apps controllerrevisions.apps
  jobs.batch cronjobs.batch poddisruptionbudgets.policy
  networkpolicies.networking.k8s.io ingresses.networking.k8s.io ingressclasses.networking.k8s.io
  endpointslices.discovery.k8s.io priorityclasses.scheduling.k8s.io
  flowschemas.flowcontrol.apiserver.k8s.io prioritylevelconfigurations.flowcontrol.apiserver.k8s.io
  mutatingwebhookconfigurations.admissionregistration.k8s.io validatingwebhookconfigurations.admissionregistration.k8s.io
  mutatingadmissionpolicies.admissionregistration.k8s.io mutatingadmissionpolicybindings.admissionregistration.k8s.io
  validatingadmissionpolicies.admissionregistration.k8s.io validatingadmissionpolicybindings.admissionregistration.k8s.io
  customresourcedefinitions.apiextensions.k8s.io
  deviceclasses.resource.k8s.io resourceslices.resource.k8s.io
  csidrivers.storage.k8s.io
`);
const CONDITIONAL_ONLY = names(`
  leases.coordination.k8s.io poddisruptionbudgets.policy runtimeclasses.node.k8s.io
  customresourcedefinitions.apiextensions.k8s.io apiservices.apiregistration.k8s.io
  flowschemas.flowcontrol.apiserver.k8s.io prioritylevelconfigurations.flowcontrol.apiserver.k8s.io
  mutatingwebhookconfigurations.admissionregistration.k8s.io validatingwebhookconfigurations.admissionregistration.k8s.io
  mutatingadmissionpolicies.admissionregistration.k8s.io mutatingadmissionpolicybindings.admissionregistration.k8s.io
  validatingadmissionpolicies.admissionregistration.k8s.io validatingadmissionpolicybindings.admissionregistration.k8s.io
  csidrivers.storage.k8s.io csinodes.storage.k8s.io volumeattachments.storage.k8s.io csistoragecapacities.storage.k8s.io
`);
const CREATE_ON_UPDATE = names(`
  endpoints events events.events.k8s.io limitranges services leases.coordination.k8s.io
  roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io
  clusterroles.rbac.authorization.k8s.io clusterrolebindings.rbac.authorization.k8s.io
`);
const RETURNS_DELETED = names(`
  pods services serviceaccounts podtemplates persistentvolumes persistentvolumeclaims resourcequotas
`);
const ORPHANS_BY_DEFAULT = names('replicationcontrollers');
const EVENT_TTL_SECONDS = 3600;

export function traitsOf(info: ResourceInfo): Traits {
  const name = info.group === '' ? info.resource : `${info.resource}.${info.group}`;
  return {
    generation: GENERATION.has(name),
    unconditionalUpdate: !CONDITIONAL_ONLY.has(name),
    createOnUpdate: CREATE_ON_UPDATE.has(name),
    returnsDeleted: RETURNS_DELETED.has(name),
    orphansByDefault: ORPHANS_BY_DEFAULT.has(name),
    ttlSeconds: info.resource === 'events' ? EVENT_TTL_SECONDS : 0,
  };
}
