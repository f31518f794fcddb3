/** What is said of conditions, statuses and the smaller parts of kinds, in words of our own: at most 25 of them a field. */
import { CONDITION, PROBED, COUNTS, LABELED } from './phrases.ts';

const OBSERVED = {
  ...CONDITION,
  observedGeneration: 'The generation of the object that this was found out of; an older one may be out of date.',
} as const;
const REQUIREMENT = {
  key: 'The label that is looked at.',
  operator: 'How it is compared: In, NotIn, Exists or DoesNotExist; nodes know Gt and Lt too.',
  values: 'What it is compared with; empty for Exists and DoesNotExist.',
} as const;
const NAMED = { name: 'Name of the object, in the same namespace.' } as const;
const DISK = {
  fsType: 'File system to mount, as ext4 or xfs. Must be one that the node knows.',
  readOnly: 'Whether the volume is mounted so that nobody writes to it. False by default.',
} as const;
const FILES = {
  items: 'Which keys become files, and where. Absent: every key, under its own name.',
  optional: 'Whether the pod may start without the object or its keys.',
} as const;
const KEYED = {
  ...NAMED,
  key: 'Which entry of it.',
  optional: 'Whether the pod may start without the object or the key.',
} as const;

export const PART_TEXTS = {
  'meta.v1.Condition': OBSERVED,
  'meta.v1.LabelSelectorRequirement': REQUIREMENT,
  'meta.v1.OwnerReference': {
    apiVersion: 'Group and version of the owner.',
    kind: 'Kind of the owner.',
    name: 'Name of the owner, in the same namespace or of the whole cluster.',
    uid: 'UID of the owner, so that another object of that name is not taken for it.',
    controller: 'Whether this owner is the one that manages the object; at most one is.',
    blockOwnerDeletion: 'Whether an owner that is deleted in the foreground waits for this object.',
  },
  'meta.v1.ManagedFieldsEntry': {
    manager: 'Who set the fields: a name that the client gave.',
    operation: 'How: Apply, or Update for everything else.',
    apiVersion: 'The version in which the fields are named.',
    time: 'When the manager last set another field, or another value.',
    fieldsType: 'How fieldsV1 is written; FieldsV1 is the only way.',
    fieldsV1: 'The fields, as a tree of keys.',
    subresource: 'By which subresource they were set; empty for the object itself.',
  },
  'core.v1.NamespaceCondition': CONDITION,
  'core.v1.ReplicationControllerCondition': CONDITION,
  'core.v1.PersistentVolumeClaimCondition': PROBED,
  'core.v1.PodCondition': { ...PROBED, observedGeneration: 'The generation of the pod that this was found out of.' },
  'core.v1.NodeCondition': { ...CONDITION, lastHeartbeatTime: 'When the kubelet last said so.' },
  'core.v1.NamespaceSpec': { finalizers: 'Who has to clear something away before the namespace may go.' },
  'core.v1.NamespaceStatus': {
    phase: 'Active, or Terminating once it is being deleted.',
    conditions: 'Why a namespace that is being deleted is still there.',
  },
  'core.v1.ReplicationController': {
    '': 'ReplicationController keeps a number of pods running; Deployments have taken its place.',
    spec: 'What pods are wanted, and how many.',
    status: 'What there is, as last counted.',
  },
  'core.v1.ReplicationControllerSpec': {
    replicas: 'How many pods are wanted. 1 by default.',
    minReadySeconds: 'How long a pod has to be ready before it counts as available. 0 by default.',
    selector: 'Labels of the pods that are counted. Those of the template, where nothing is said.',
    template: 'What new pods are made of.',
  },
  'core.v1.ReplicationControllerStatus': { ...COUNTS, fullyLabeledReplicas: LABELED },
  'core.v1.PodTemplate': {
    '': 'PodTemplate is a description of pods, stored on its own.',
    template: 'What pods are made of.',
  },
  'core.v1.ContainerState': {
    waiting: 'It does not run yet, and why.',
    running: 'It runs, and since when.',
    terminated: 'It has ended, and how.',
  },
  'core.v1.ContainerStateWaiting': {
    reason: 'Why, as one word: ContainerCreating, ImagePullBackOff, CrashLoopBackOff …',
    message: 'Why, as a sentence.',
  },
  'core.v1.ContainerStateRunning': { startedAt: 'When it was started last.' },
  'core.v1.ContainerStateTerminated': {
    exitCode: 'What its first process answered; 0 is well.',
    signal: 'The signal that ended it, where one did.',
    reason: 'Why, as one word: Completed, Error, OOMKilled …',
    message: 'The last words that it left in its termination message file.',
    startedAt: 'When it was started.',
    finishedAt: 'When it ended.',
    containerID: 'What the runtime called it: type://id.',
  },
  'core.v1.ConfigMapEnvSource': { ...NAMED, optional: FILES.optional },
  'core.v1.SecretEnvSource': { ...NAMED, optional: FILES.optional },
  'core.v1.ConfigMapKeySelector': KEYED,
  'core.v1.SecretKeySelector': KEYED,
  'core.v1.ConfigMapProjection': { ...NAMED, ...FILES },
  'core.v1.SecretProjection': { ...NAMED, ...FILES },
  'core.v1.LocalObjectReference': NAMED,
  'core.v1.SecretReference': { name: 'Name of the Secret.', namespace: 'Namespace of the Secret.' },
  'core.v1.ObjectFieldSelector': {
    apiVersion: 'The version in which the path is read. v1 by default.',
    fieldPath: 'Which field of the pod, as metadata.name or status.podIP.',
  },
  'core.v1.ResourceFieldSelector': {
    containerName: 'Of which container; needed in volumes, its own in variables.',
    resource: 'Which of its requests or limits: limits.cpu, requests.memory …',
    divisor: 'In which unit, as 1Mi or 1m; the value is rounded up. 1 by default.',
  },
  'core.v1.DownwardAPIVolumeFile': {
    path: 'Path of the file in the volume, without ...',
    fieldRef: 'A field of the pod to be written there.',
    resourceFieldRef: 'A request or limit of a container to be written there.',
    mode: 'Permissions of the file, as 0644. Those of the volume, where nothing is said.',
  },
  'core.v1.DownwardAPIProjection': { items: 'Files with what is known of the pod.' },
  'core.v1.DownwardAPIVolumeSource': {
    items: 'Files with what is known of the pod.',
    defaultMode: 'Permissions of the files, as 0644.',
  },
  'core.v1.ProjectedVolumeSource': {
    sources: 'What is put together into the one folder.',
    defaultMode: 'Permissions of the files, as 0644.',
  },
  'core.v1.VolumeProjection': {
    secret: 'Entries of a Secret.',
    downwardAPI: 'What is known of the pod.',
    configMap: 'Entries of a ConfigMap.',
    serviceAccountToken: 'A token of the pod, renewed in time.',
    clusterTrustBundle: 'Certificates of authorities that the cluster hands out.',
    podCertificate: 'A key and a certificate of the pod, renewed in time.',
  },
  'core.v1.ServiceAccountTokenProjection': {
    audience: 'For whom the token is meant. The API server, where nothing is said.',
    expirationSeconds: 'How long it is good, 600 seconds at least. An hour by default.',
    path: 'Path of the file in the volume.',
  },
  'core.v1.NodeSelector': { nodeSelectorTerms: 'One of them has to match.' },
  'core.v1.NodeSelectorTerm': {
    matchExpressions: 'By labels of the node; all have to hold.',
    matchFields: 'By fields of the node, of which there is one: metadata.name.',
  },
  'core.v1.NodeSelectorRequirement': REQUIREMENT,
  'core.v1.PreferredSchedulingTerm': { weight: 'How much it counts: 1 to 100.', preference: 'Which nodes are liked.' },
  'core.v1.WeightedPodAffinityTerm': {
    weight: 'How much it counts: 1 to 100.',
    podAffinityTerm: 'Which pods, and how near.',
  },
  'core.v1.PodAffinity': {
    requiredDuringSchedulingIgnoredDuringExecution: 'Pods that have to be near. Not looked at again once the pod runs.',
    preferredDuringSchedulingIgnoredDuringExecution: 'Pods that are liked near, each with its weight.',
  },
  'core.v1.PodAntiAffinity': {
    requiredDuringSchedulingIgnoredDuringExecution:
      'Pods that must not be near. Not looked at again once the pod runs.',
    preferredDuringSchedulingIgnoredDuringExecution: 'Pods that are disliked near, each with its weight.',
  },
  'core.v1.HTTPHeader': { name: 'Name of the header.', value: 'Its value.' },
  'core.v1.HostAlias': { ip: 'The address.', hostnames: 'Names that lead to it.' },
  'core.v1.SleepAction': { seconds: 'How long to wait.' },
  'core.v1.Sysctl': { name: 'Name of the kernel setting.', value: 'What it is set to.' },
  'core.v1.PodOS': { name: 'linux or windows.' },
  'core.v1.PodReadinessGate': { conditionType: 'A condition of the pod that has to be True before it is ready.' },
  'core.v1.PodSchedulingGate': { name: 'The pod is not scheduled while a gate of any name is here.' },
  'core.v1.PodDNSConfig': {
    nameservers: 'Addresses of name servers.',
    searches: 'Domains that short names are looked for in.',
    options: 'Options of the resolver, as ndots.',
  },
  'core.v1.PodDNSConfigOption': { name: 'Name of the option.', value: 'Its value, where it has one.' },
  'core.v1.VolumeDevice': {
    name: 'Name of the claim among the volumes.',
    devicePath: 'Where the raw device shows in the container.',
  },
  'core.v1.AppArmorProfile': {
    type: 'Localhost, RuntimeDefault or Unconfined.',
    localhostProfile: 'Name of a profile that is loaded on the node; for Localhost only.',
  },
  'core.v1.SELinuxOptions': {
    user: 'User of the label.',
    role: 'Role of the label.',
    type: 'Type of the label.',
    level: 'Level of the label.',
  },
  'core.v1.NFSVolumeSource': {
    server: 'Name or address of the server.',
    path: 'The folder that it exports.',
    readOnly: DISK.readOnly,
  },
  'core.v1.LocalVolumeSource': { path: 'The folder or device on the node.', fsType: DISK.fsType },
  'core.v1.CSIVolumeSource': {
    ...DISK,
    driver: 'Name of the driver.',
    volumeAttributes: 'What the driver wants to know.',
    nodePublishSecretRef: 'A Secret that the driver is given when it mounts.',
  },
  'core.v1.CSIPersistentVolumeSource': {
    ...DISK,
    driver: 'Name of the driver.',
    volumeHandle: 'What the driver calls the volume.',
    volumeAttributes: 'What the driver wants to know.',
    controllerPublishSecretRef: 'A Secret for attaching and detaching.',
    nodeStageSecretRef: 'A Secret for making the volume ready on a node.',
    nodePublishSecretRef: 'A Secret for mounting it into a pod.',
    controllerExpandSecretRef: 'A Secret for making it larger.',
    nodeExpandSecretRef: 'A Secret for making its file system larger.',
  },
  'core.v1.EphemeralVolumeSource': {
    volumeClaimTemplate: 'What the claim is made of that lives as long as the pod.',
  },
  'core.v1.PersistentVolumeClaimTemplate': {
    metadata: 'Labels and annotations of the claim.',
    spec: 'What is wanted of the claim.',
  },
  'core.v1.ImageVolumeSource': {
    reference: 'The image whose files are mounted.',
    pullPolicy: 'When it is pulled: Always, Never or IfNotPresent.',
  },
  'core.v1.PersistentVolume': {
    '': 'PersistentVolume is a piece of storage of the cluster, which a claim may take.',
    spec: 'What the storage is, and who may use it how.',
    status: 'How it stands, as the controller last said.',
  },
  'core.v1.PersistentVolumeStatus': {
    phase: 'Available, Bound, Released or Failed.',
    message: 'Why, as a sentence.',
    reason: 'Why, as one word.',
    lastPhaseTransitionTime: 'When the phase last changed.',
  },
  'core.v1.PersistentVolumeClaimStatus': {
    phase: 'Pending, Bound or Lost.',
    accessModes: 'How the volume behind it may be mounted.',
    capacity: 'How large the volume behind it is.',
    conditions: 'What is being done with it: resizing and the like.',
    allocatedResources: 'What was asked for while it grows, as far as that is granted.',
    allocatedResourceStatuses: 'How far growing has come, by resource.',
    currentVolumeAttributesClassName: 'The class whose attributes the volume has now.',
    modifyVolumeStatus: 'How far a change of the class has come.',
  },
  'core.v1.ModifyVolumeStatus': {
    targetVolumeAttributesClassName: 'The class that it is being changed to.',
    status: 'Pending, InProgress or Infeasible.',
  },
  'core.v1.VolumeNodeAffinity': { required: 'Which nodes can reach the volume.' },
  'core.v1.VolumeResourceRequirements': {
    limits: 'The most storage.',
    requests: 'The least storage.',
  },
  'core.v1.TypedLocalObjectReference': {
    apiGroup: 'Group of the object; empty for the core group.',
    kind: 'Kind of the object.',
    name: 'Name of the object.',
  },
  'core.v1.TypedObjectReference': {
    apiGroup: 'Group of the object; empty for the core group.',
    kind: 'Kind of the object.',
    name: 'Name of the object.',
    namespace: 'Namespace of the object, where a ReferenceGrant there allows it.',
  },
  'core.v1.ResourceQuota': {
    '': 'ResourceQuota bounds what the objects of its namespace may use together.',
    spec: 'How much may be used.',
    status: 'How much is used, as last counted.',
  },
  'core.v1.ResourceQuotaStatus': { hard: 'What may be used, by resource.', used: 'What is used, by resource.' },
  'core.v1.LimitRange': {
    '': 'LimitRange bounds what single objects of its namespace may ask for, and says what they ask for by default.',
    spec: 'Bounds and defaults for objects of the namespace.',
  },
  'core.v1.LimitRangeSpec': { limits: 'One entry for each sort of object.' },
  'core.v1.ScopeSelector': { matchExpressions: 'All have to hold.' },
  'core.v1.ScopedResourceSelectorRequirement': {
    scopeName: 'Which scope: Terminating, BestEffort, PriorityClass …',
    operator: 'In, NotIn, Exists or DoesNotExist.',
    values: 'What it is compared with.',
  },
  'rbac.v1.AggregationRule': { clusterRoleSelectors: 'ClusterRoles whose rules are taken in, by their labels.' },
} as const;
