import type { ValidatingAdmissionPolicy } from './generated/admissionregistration-v1.ts';
import type { CustomResourceDefinition } from './generated/apiextensions-v1.ts';
import type { CertificateSigningRequest } from './generated/certificates-v1.ts';
import type { ClusterTrustBundle } from './generated/certificates-v1beta1.ts';
import type { HorizontalPodAutoscaler } from './generated/autoscaling-v2.ts';
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from './generated/apps-v1.ts';
import type { CronJob, Job } from './generated/batch-v1.ts';
import type { Lease } from './generated/coordination-v1.ts';
import type {
  Binding,
  ConfigMap,
  Endpoints,
  Event,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from './generated/core-v1.ts';
import type { EndpointSlice } from './generated/discovery-v1.ts';
import type { Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR } from './generated/networking-v1.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from './generated/rbac-v1.ts';
import type { RuntimeClass } from './generated/node-v1.ts';
import type { PodDisruptionBudget } from './generated/policy-v1.ts';
import type { FlowSchema, PriorityLevelConfiguration } from './generated/flowcontrol-v1.ts';
import type { PriorityClass } from './generated/scheduling-v1.ts';
import type { DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice } from './generated/resource-v1.ts';
import type {
  CSIDriver,
  CSINode,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from './generated/storage-v1.ts';
import type { ResourceRef } from './resource-ref.ts';
import { parseGroupVersion } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';

function namespaced<T extends KubeObject>(apiVersion: string, resource: string, kind: string): ResourceRef<T> {
  return { ...parseGroupVersion(apiVersion), resource, kind, namespaced: true };
}

function clusterWide<T extends KubeObject>(apiVersion: string, resource: string, kind: string): ResourceRef<T> {
  return { ...parseGroupVersion(apiVersion), resource, kind, namespaced: false };
}

/** v1 pods, in namespaces. */
export const PODS: ResourceRef<Pod> = namespaced('v1', 'pods', 'Pod');
/** v1 bindings, in namespaces. */
export const BINDINGS: ResourceRef<Binding> = namespaced('v1', 'bindings', 'Binding');
/** v1 replicationcontrollers, in namespaces. */
export const REPLICATION_CONTROLLERS: ResourceRef<ReplicationController> = namespaced(
  'v1',
  'replicationcontrollers',
  'ReplicationController',
);
/** v1 services, in namespaces. */
export const SERVICES: ResourceRef<Service> = namespaced('v1', 'services', 'Service');
/** v1 endpoints, in namespaces. */
export const ENDPOINTS: ResourceRef<Endpoints> = namespaced('v1', 'endpoints', 'Endpoints');
/** v1 namespaces, of the whole cluster. */
export const NAMESPACES: ResourceRef<Namespace> = clusterWide('v1', 'namespaces', 'Namespace');
/** v1 nodes, of the whole cluster. */
export const NODES: ResourceRef<Node> = clusterWide('v1', 'nodes', 'Node');
/** v1 secrets, in namespaces. */
export const SECRETS: ResourceRef<Secret> = namespaced('v1', 'secrets', 'Secret');
/** v1 configmaps, in namespaces. */
export const CONFIG_MAPS: ResourceRef<ConfigMap> = namespaced('v1', 'configmaps', 'ConfigMap');
/** v1 serviceaccounts, in namespaces. */
export const SERVICE_ACCOUNTS: ResourceRef<ServiceAccount> = namespaced('v1', 'serviceaccounts', 'ServiceAccount');
/** v1 events, in namespaces. */
export const EVENTS: ResourceRef<Event> = namespaced('v1', 'events', 'Event');
/** apps/v1 replicasets, in namespaces. */
export const REPLICA_SETS: ResourceRef<ReplicaSet> = namespaced('apps/v1', 'replicasets', 'ReplicaSet');
/** apps/v1 deployments, in namespaces. */
export const DEPLOYMENTS: ResourceRef<Deployment> = namespaced('apps/v1', 'deployments', 'Deployment');
/** coordination.k8s.io/v1 leases, in namespaces. */
export const LEASES: ResourceRef<Lease> = namespaced('coordination.k8s.io/v1', 'leases', 'Lease');
/** discovery.k8s.io/v1 endpointslices, in namespaces. */
export const ENDPOINT_SLICES: ResourceRef<EndpointSlice> = namespaced(
  'discovery.k8s.io/v1',
  'endpointslices',
  'EndpointSlice',
);
/** `networking.k8s.io/v1` ingresses. */
export const INGRESSES: ResourceRef<Ingress> = namespaced('networking.k8s.io/v1', 'ingresses', 'Ingress');
/** `networking.k8s.io/v1` ingressclasses. */
export const INGRESS_CLASSES: ResourceRef<IngressClass> = clusterWide(
  'networking.k8s.io/v1',
  'ingressclasses',
  'IngressClass',
);
/** networking.k8s.io/v1 networkpolicies, in namespaces. */
export const NETWORK_POLICIES: ResourceRef<NetworkPolicy> = namespaced(
  'networking.k8s.io/v1',
  'networkpolicies',
  'NetworkPolicy',
);
/** networking.k8s.io/v1 servicecidrs, of the whole cluster. */
export const SERVICE_CIDRS: ResourceRef<ServiceCIDR> = clusterWide(
  'networking.k8s.io/v1',
  'servicecidrs',
  'ServiceCIDR',
);
/** rbac.authorization.k8s.io/v1 roles, in namespaces. */
export const ROLES: ResourceRef<Role> = namespaced('rbac.authorization.k8s.io/v1', 'roles', 'Role');
/** rbac.authorization.k8s.io/v1 rolebindings, in namespaces. */
export const ROLE_BINDINGS: ResourceRef<RoleBinding> = namespaced(
  'rbac.authorization.k8s.io/v1',
  'rolebindings',
  'RoleBinding',
);
/** rbac.authorization.k8s.io/v1 clusterroles, of the whole cluster. */
export const CLUSTER_ROLES: ResourceRef<ClusterRole> = clusterWide(
  'rbac.authorization.k8s.io/v1',
  'clusterroles',
  'ClusterRole',
);
/** rbac.authorization.k8s.io/v1 clusterrolebindings, of the whole cluster. */
export const CLUSTER_ROLE_BINDINGS: ResourceRef<ClusterRoleBinding> = clusterWide(
  'rbac.authorization.k8s.io/v1',
  'clusterrolebindings',
  'ClusterRoleBinding',
);
/** scheduling.k8s.io/v1 priorityclasses, of the whole cluster. */
export const PRIORITY_CLASSES: ResourceRef<PriorityClass> = clusterWide(
  'scheduling.k8s.io/v1',
  'priorityclasses',
  'PriorityClass',
);
/** apiextensions.k8s.io/v1 customresourcedefinitions, of the whole cluster. */
export const CUSTOM_RESOURCE_DEFINITIONS: ResourceRef<CustomResourceDefinition> = clusterWide(
  'apiextensions.k8s.io/v1',
  'customresourcedefinitions',
  'CustomResourceDefinition',
);
/** admissionregistration.k8s.io/v1 validatingadmissionpolicies, of the whole cluster. */
export const VALIDATING_ADMISSION_POLICIES: ResourceRef<ValidatingAdmissionPolicy> = clusterWide(
  'admissionregistration.k8s.io/v1',
  'validatingadmissionpolicies',
  'ValidatingAdmissionPolicy',
);
/** flowcontrol.apiserver.k8s.io/v1 flowschemas, of the whole cluster. */
export const FLOW_SCHEMAS: ResourceRef<FlowSchema> = clusterWide(
  'flowcontrol.apiserver.k8s.io/v1',
  'flowschemas',
  'FlowSchema',
);
/** flowcontrol.apiserver.k8s.io/v1 prioritylevelconfigurations, of the whole cluster. */
export const PRIORITY_LEVEL_CONFIGURATIONS: ResourceRef<PriorityLevelConfiguration> = clusterWide(
  'flowcontrol.apiserver.k8s.io/v1',
  'prioritylevelconfigurations',
  'PriorityLevelConfiguration',
);
/** v1 persistentvolumeclaims, in namespaces. */
export const PERSISTENT_VOLUME_CLAIMS: ResourceRef<PersistentVolumeClaim> = namespaced(
  'v1',
  'persistentvolumeclaims',
  'PersistentVolumeClaim',
);
/** v1 persistentvolumes, of the whole cluster. */
export const PERSISTENT_VOLUMES: ResourceRef<PersistentVolume> = clusterWide(
  'v1',
  'persistentvolumes',
  'PersistentVolume',
);
/** apps/v1 statefulsets, in namespaces. */
export const STATEFUL_SETS: ResourceRef<StatefulSet> = namespaced('apps/v1', 'statefulsets', 'StatefulSet');
/** apps/v1 daemonsets, in namespaces. */
export const DAEMON_SETS: ResourceRef<DaemonSet> = namespaced('apps/v1', 'daemonsets', 'DaemonSet');
/** apps/v1 controllerrevisions, in namespaces. */
export const CONTROLLER_REVISIONS: ResourceRef<ControllerRevision> = namespaced(
  'apps/v1',
  'controllerrevisions',
  'ControllerRevision',
);
/** batch/v1 jobs, in namespaces. */
export const JOBS: ResourceRef<Job> = namespaced('batch/v1', 'jobs', 'Job');
/** batch/v1 cronjobs, in namespaces. */
export const CRON_JOBS: ResourceRef<CronJob> = namespaced('batch/v1', 'cronjobs', 'CronJob');
/** policy/v1 poddisruptionbudgets, in namespaces. */
export const POD_DISRUPTION_BUDGETS: ResourceRef<PodDisruptionBudget> = namespaced(
  'policy/v1',
  'poddisruptionbudgets',
  'PodDisruptionBudget',
);
/** v1 resourcequotas, in namespaces. */
export const RESOURCE_QUOTAS: ResourceRef<ResourceQuota> = namespaced('v1', 'resourcequotas', 'ResourceQuota');
/** resource.k8s.io/v1 resourceclaims, in namespaces. */
export const RESOURCE_CLAIMS: ResourceRef<ResourceClaim> = namespaced(
  'resource.k8s.io/v1',
  'resourceclaims',
  'ResourceClaim',
);
/** resource.k8s.io/v1 resourceclaimtemplates, in namespaces. */
export const RESOURCE_CLAIM_TEMPLATES: ResourceRef<ResourceClaimTemplate> = namespaced(
  'resource.k8s.io/v1',
  'resourceclaimtemplates',
  'ResourceClaimTemplate',
);
/** resource.k8s.io/v1 deviceclasses, of the whole cluster. */
export const DEVICE_CLASSES: ResourceRef<DeviceClass> = clusterWide(
  'resource.k8s.io/v1',
  'deviceclasses',
  'DeviceClass',
);
/** resource.k8s.io/v1 resourceslices, of the whole cluster. */
export const RESOURCE_SLICES: ResourceRef<ResourceSlice> = clusterWide(
  'resource.k8s.io/v1',
  'resourceslices',
  'ResourceSlice',
);
/** networking.k8s.io/v1 ipaddresses, of the whole cluster. */
export const IP_ADDRESSES: ResourceRef<IPAddress> = clusterWide('networking.k8s.io/v1', 'ipaddresses', 'IPAddress');
/** node.k8s.io/v1 runtimeclasses, of the whole cluster. */
export const RUNTIME_CLASSES: ResourceRef<RuntimeClass> = clusterWide(
  'node.k8s.io/v1',
  'runtimeclasses',
  'RuntimeClass',
);
/** storage.k8s.io/v1 csidrivers, of the whole cluster. */
export const CSI_DRIVERS: ResourceRef<CSIDriver> = clusterWide('storage.k8s.io/v1', 'csidrivers', 'CSIDriver');
/** storage.k8s.io/v1 csinodes, of the whole cluster. */
export const CSI_NODES: ResourceRef<CSINode> = clusterWide('storage.k8s.io/v1', 'csinodes', 'CSINode');
/** storage.k8s.io/v1 volumeattachments, of the whole cluster. */
export const VOLUME_ATTACHMENTS: ResourceRef<VolumeAttachment> = clusterWide(
  'storage.k8s.io/v1',
  'volumeattachments',
  'VolumeAttachment',
);
/** storage.k8s.io/v1 volumeattributesclasses, of the whole cluster. */
export const VOLUME_ATTRIBUTES_CLASSES: ResourceRef<VolumeAttributesClass> = clusterWide(
  'storage.k8s.io/v1',
  'volumeattributesclasses',
  'VolumeAttributesClass',
);
/** storage.k8s.io/v1 storageclasses, of the whole cluster. */
export const STORAGE_CLASSES: ResourceRef<StorageClass> = clusterWide(
  'storage.k8s.io/v1',
  'storageclasses',
  'StorageClass',
);
/** autoscaling/v2 horizontalpodautoscalers, in namespaces. */
export const HORIZONTAL_POD_AUTOSCALERS: ResourceRef<HorizontalPodAutoscaler> = namespaced(
  'autoscaling/v2',
  'horizontalpodautoscalers',
  'HorizontalPodAutoscaler',
);
/** certificates.k8s.io/v1 certificatesigningrequests, of the whole cluster. */
export const CERTIFICATE_SIGNING_REQUESTS: ResourceRef<CertificateSigningRequest> = clusterWide(
  'certificates.k8s.io/v1',
  'certificatesigningrequests',
  'CertificateSigningRequest',
);
/** certificates.k8s.io/v1beta1 clustertrustbundles, of the whole cluster; served on request. */
export const CLUSTER_TRUST_BUNDLES: ResourceRef<ClusterTrustBundle> = clusterWide(
  'certificates.k8s.io/v1beta1',
  'clustertrustbundles',
  'ClusterTrustBundle',
);
