// Label, annotation and taint keys, finalizers and names that clients of Kubernetes see.

// Labels.
export const LABEL_METADATA_NAME = 'kubernetes.io/metadata.name';
export const LABEL_HOSTNAME = 'kubernetes.io/hostname';
export const LABEL_OS = 'kubernetes.io/os';
export const LABEL_ARCH = 'kubernetes.io/arch';
export const LABEL_OS_BETA = 'beta.kubernetes.io/os';
export const LABEL_ARCH_BETA = 'beta.kubernetes.io/arch';
export const LABEL_ZONE = 'topology.kubernetes.io/zone';
export const LABEL_REGION = 'topology.kubernetes.io/region';
export const LABEL_INSTANCE_TYPE = 'node.kubernetes.io/instance-type';
export const LABEL_NODE_ROLE_CONTROL_PLANE = 'node-role.kubernetes.io/control-plane';
export const LABEL_EXCLUDE_DISRUPTION = 'node.kubernetes.io/exclude-disruption';
export const LABEL_NODE_EXCLUDE_BALANCERS = 'node.kubernetes.io/exclude-from-external-load-balancers';
export const LABEL_POD_TEMPLATE_HASH = 'pod-template-hash';
export const LABEL_JOB_NAME = 'batch.kubernetes.io/job-name';
export const LABEL_JOB_NAME_LEGACY = 'job-name';
export const LABEL_JOB_CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
export const LABEL_JOB_CONTROLLER_UID_LEGACY = 'controller-uid';
export const LABEL_JOB_COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';
export const LABEL_SERVICE_NAME = 'kubernetes.io/service-name';
export const LABEL_MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
export const LABEL_BOOTSTRAPPING = 'kubernetes.io/bootstrapping';

// Annotations.
export const ANNOTATION_REVISION = 'deployment.kubernetes.io/revision';
export const ANNOTATION_REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const ANNOTATION_DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const ANNOTATION_MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
export const ANNOTATION_DEPRECATED_ROLLBACK = 'deprecated.deployment.rollback.to';
export const ANNOTATION_TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
export const LABEL_TEMPLATE_GENERATION = 'pod-template-generation';
export const ANNOTATION_CHANGE_CAUSE = 'kubernetes.io/change-cause';
export const ANNOTATION_LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
export const ANNOTATION_MIRROR = 'kubernetes.io/config.mirror';
export const ANNOTATION_CONFIG_HASH = 'kubernetes.io/config.hash';
export const ANNOTATION_CONFIG_SOURCE = 'kubernetes.io/config.source';
export const ANNOTATION_CONFIG_SEEN = 'kubernetes.io/config.seen';
export const ANNOTATION_POD_DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
export const ANNOTATION_NODE_TTL = 'node.alpha.kubernetes.io/ttl';
export const ANNOTATION_ATTACH_DETACH = 'volumes.kubernetes.io/controller-managed-attach-detach';
export const ANNOTATION_INITIAL_EVENTS_END = 'k8s.io/initial-events-end';
export const ANNOTATION_AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
export const ANNOTATION_SERVICE_ACCOUNT_NAME = 'kubernetes.io/service-account.name';
export const ANNOTATION_SERVICE_ACCOUNT_UID = 'kubernetes.io/service-account.uid';
export const ANNOTATION_DEFAULT_CONTAINER = 'kubectl.kubernetes.io/default-container';
export const ANNOTATION_ENDPOINTS_CHANGE_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';
export const ANNOTATION_BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
export const ANNOTATION_SELECTED_NODE = 'volume.kubernetes.io/selected-node';
export const ANNOTATION_DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
export const ANNOTATION_INGRESS_CLASS = 'kubernetes.io/ingress.class';
export const ANNOTATION_ENFORCE_MOUNTABLE_SECRETS = 'kubernetes.io/enforce-mountable-secrets';

// Taints that nodes get from their conditions and from being cordoned.
export const TAINT_NOT_READY = 'node.kubernetes.io/not-ready';
export const TAINT_UNREACHABLE = 'node.kubernetes.io/unreachable';
export const TAINT_UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
export const TAINT_MEMORY_PRESSURE = 'node.kubernetes.io/memory-pressure';
export const TAINT_DISK_PRESSURE = 'node.kubernetes.io/disk-pressure';
export const TAINT_PID_PRESSURE = 'node.kubernetes.io/pid-pressure';
export const TAINT_NETWORK_UNAVAILABLE = 'node.kubernetes.io/network-unavailable';
export const TAINT_OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';
export const TAINT_CLOUD_UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

// Finalizers.
export const FINALIZER_KUBERNETES = 'kubernetes';
export const FINALIZER_ORPHAN = 'orphan';
export const FINALIZER_FOREGROUND = 'foregroundDeletion';
export const FINALIZER_VOLUME_PROTECTION = 'kubernetes.io/pv-protection';
export const FINALIZER_CLAIM_PROTECTION = 'kubernetes.io/pvc-protection';

// Names.
export const DEFAULT_SCHEDULER_NAME = 'default-scheduler';
/** Volumes of a class with it are made by hand. */
export const PROVISIONER_NONE = 'kubernetes.io/no-provisioner';
export const NAMESPACE_DEFAULT = 'default';
export const NAMESPACE_SYSTEM = 'kube-system';
export const NAMESPACE_PUBLIC = 'kube-public';
export const NAMESPACE_NODE_LEASE = 'kube-node-lease';
export const ROOT_CA_CONFIG_MAP = 'kube-root-ca.crt';
export const PRIORITY_SYSTEM_CLUSTER_CRITICAL = 'system-cluster-critical';
export const PRIORITY_SYSTEM_NODE_CRITICAL = 'system-node-critical';
/** The highest priority that users may give a class; system classes are above it. */
export const PRIORITY_HIGHEST_USER = 1_000_000_000;
export const PRIORITY_SYSTEM_CRITICAL = 2_000_000_000;
