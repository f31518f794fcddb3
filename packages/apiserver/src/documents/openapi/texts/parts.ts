/** What is said of conditions, statuses and the smaller parts of kinds, in words of our own: at most 25 of them a field. */

const CONDITION = {
  type: 'What the condition is about: one word, each at most once in the list.',
  status: 'Whether it holds: True, False or Unknown.',
  reason: 'Why it changed last, as one word for programs.',
  message: 'Why it changed last, as a sentence for people.',
  lastTransitionTime: 'When the status last went from one value to another.',
} as const;
const PROBED = { ...CONDITION, lastProbeTime: 'When somebody last looked.' } as const;
const OBSERVED = {
  ...CONDITION,
  observedGeneration: 'The generation of the object that this was found out of; an older one may be out of date.',
} as const;
const GENERATION = 'The generation that the controller has looked at: what is here is about that one.';
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
const COUNTS = {
  replicas: 'Pods that there are, as last counted.',
  readyReplicas: 'Of these, pods that are ready.',
  availableReplicas: 'Of these, pods that have been ready for minReadySeconds.',
  observedGeneration: GENERATION,
  conditions: 'What is known of its state, each under its own type.',
} as const;
const LABELED = 'Of these, pods that carry all labels of the template.';
const TERMINATING = 'Pods that are on their way out and still there.';
const COLLISIONS = 'How often the name of a new revision was taken already; part of the next name.';
const INGRESS_PORT = {
  port: 'The port that this is about.',
  protocol: 'TCP, UDP or SCTP.',
  error: 'What is wrong with it, where something is.',
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
  'apps.v1.ControllerRevision': {
    '': 'ControllerRevision is a former state of a StatefulSet or DaemonSet, kept for going back. It never changes.',
    data: 'What the object was at that time, as its controller keeps it.',
    revision: 'Its number: a larger one is newer.',
  },
  'apps.v1.DaemonSetCondition': CONDITION,
  'apps.v1.ReplicaSetCondition': CONDITION,
  'apps.v1.StatefulSetCondition': CONDITION,
  'apps.v1.DeploymentCondition': { ...CONDITION, lastUpdateTime: 'When the condition was last written.' },
  'apps.v1.DaemonSetStatus': {
    currentNumberScheduled: 'Nodes that should run the pod and have it.',
    numberMisscheduled: 'Nodes that have the pod and should not.',
    desiredNumberScheduled: 'Nodes that should run the pod.',
    numberReady: 'Nodes that should run the pod and have one that is ready.',
    observedGeneration: GENERATION,
    updatedNumberScheduled: 'Nodes whose pod is made of the newest template.',
    numberAvailable: 'Nodes whose pod has been ready for minReadySeconds.',
    numberUnavailable: 'Nodes that should have an available pod and have none.',
    collisionCount: COLLISIONS,
    conditions: 'What is known of its state, each under its own type.',
  },
  'apps.v1.DaemonSetUpdateStrategy': {
    type: 'RollingUpdate replaces pods by itself; OnDelete waits until somebody deletes them.',
    rollingUpdate: 'How many at a time; for RollingUpdate only.',
  },
  'apps.v1.RollingUpdateDaemonSet': {
    maxUnavailable: 'So many nodes may be without an available pod during an update; a number or a percentage.',
    maxSurge: 'So many nodes may have an old and a new pod during an update; a number or a percentage.',
  },
  'apps.v1.DeploymentStatus': {
    ...COUNTS,
    terminatingReplicas: TERMINATING,
    updatedReplicas: 'Pods that are made of the newest template.',
    unavailableReplicas: 'Pods that are still wanted before the Deployment is complete.',
    collisionCount: COLLISIONS,
  },
  'apps.v1.ReplicaSetStatus': { ...COUNTS, fullyLabeledReplicas: LABELED, terminatingReplicas: TERMINATING },
  'apps.v1.StatefulSetStatus': {
    ...COUNTS,
    currentReplicas: 'Pods that are made of currentRevision.',
    updatedReplicas: 'Pods that are made of updateRevision.',
    currentRevision: 'The revision that pods had before the update.',
    updateRevision: 'The revision that pods get by the update.',
    collisionCount: COLLISIONS,
  },
  'apps.v1.StatefulSetUpdateStrategy': {
    type: 'RollingUpdate replaces pods from the last to the first; OnDelete waits until somebody deletes them.',
    rollingUpdate: 'From which pod on, and how many at a time; for RollingUpdate only.',
  },
  'apps.v1.RollingUpdateStatefulSetStrategy': {
    partition: 'Pods of this number and above are updated; those below stay as they are.',
    maxUnavailable: 'So many pods may be unavailable during an update; a number or a percentage.',
  },
  'apps.v1.StatefulSetOrdinals': { start: 'The number of the first pod. 0 by default.' },
  'apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy': {
    whenDeleted: 'What becomes of claims when the set is deleted: Retain or Delete.',
    whenScaled: 'What becomes of the claims of pods that scaling down removes: Retain or Delete.',
  },
  'batch.v1.JobCondition': PROBED,
  'batch.v1.JobTemplateSpec': {
    metadata: 'Labels and annotations of the Jobs that are made.',
    spec: 'What is wanted of each Job that is made.',
  },
  'batch.v1.CronJobStatus': {
    active: 'Jobs that are running now.',
    lastScheduleTime: 'When a Job was last made.',
    lastSuccessfulTime: 'When a Job last ended well.',
  },
  'batch.v1.JobStatus': {
    conditions: 'How it stands: Complete, Failed, Suspended and what leads there.',
    startTime: 'When the controller first saw it, or when it was last resumed.',
    completionTime: 'When it was complete; absent where it failed.',
    active: 'Pods that are waiting or running and not on their way out.',
    succeeded: 'Pods that ended well.',
    failed: 'Pods that failed.',
    terminating: 'Pods that are on their way out.',
    completedIndexes: 'Indexes that are done, as numbers and ranges: 1,3-5.',
    failedIndexes: 'Indexes that failed for good, likewise.',
    uncountedTerminatedPods: 'Pods that have ended and are not in the counts yet.',
    ready: 'Active pods that are ready.',
  },
  'batch.v1.UncountedTerminatedPods': {
    succeeded: 'UIDs of those that ended well.',
    failed: 'UIDs of those that failed.',
  },
  'batch.v1.PodFailurePolicy': { rules: 'Looked at in order; the first that matches a failed pod counts.' },
  'batch.v1.PodFailurePolicyRule': {
    action: 'FailJob ends the Job, FailIndex its index; Ignore does not count the failure, Count does.',
    onExitCodes: 'Matches by exit codes of containers.',
    onPodConditions: 'Matches by conditions of the pod; one of them is enough.',
  },
  'batch.v1.PodFailurePolicyOnExitCodesRequirement': {
    containerName: 'Which container; absent: all of them.',
    operator: 'In: the code is one of the values; NotIn: it is none of them.',
    values: 'Exit codes.',
  },
  'batch.v1.PodFailurePolicyOnPodConditionsPattern': {
    type: 'Type of the condition.',
    status: 'What its status has to be. True by default.',
  },
  'batch.v1.SuccessPolicy': { rules: 'The Job is a success when one of them holds.' },
  'batch.v1.SuccessPolicyRule': {
    succeededIndexes: 'Indexes that have to succeed, as numbers and ranges: 1,3-5.',
    succeededCount: 'How many have to succeed; of the indexes, where these are named.',
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
  'core.v1.ServiceStatus': {
    loadBalancer: 'Addresses that load balancers have given it.',
    conditions: 'What is known of its state.',
  },
  'core.v1.LoadBalancerStatus': { ingress: 'Where the load balancer is reached.' },
  'core.v1.LoadBalancerIngress': {
    ip: 'Its address, where it has one.',
    hostname: 'Its name, where it has one.',
    ipMode: 'VIP: packets come with this address; Proxy: they come with the node’s or the pod’s.',
    ports: 'Ports of it, and what is wrong with them.',
  },
  'core.v1.PortStatus': INGRESS_PORT,
  'core.v1.SessionAffinityConfig': { clientIP: 'How clients are kept to one pod by their address.' },
  'core.v1.ClientIPConfig': { timeoutSeconds: 'For how long a client is kept to a pod. Three hours by default.' },
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
  'networking.v1.IngressRule': {
    host: 'For which host name; *.example.com for one label of any name. Absent: for all.',
    http: 'Which path leads where.',
  },
  'networking.v1.HTTPIngressRuleValue': { paths: 'Paths, each with what is behind it.' },
  'networking.v1.HTTPIngressPath': {
    path: 'The path, beginning with a slash.',
    pathType: 'Exact: this path alone; Prefix: whatever is below it; or as the controller likes.',
    backend: 'Where requests go.',
  },
  'networking.v1.IngressBackend': { service: 'A Service and its port.', resource: 'An object of another kind.' },
  'networking.v1.IngressServiceBackend': { name: 'Name of the Service.', port: 'Which of its ports.' },
  'networking.v1.ServiceBackendPort': { name: 'The port by its name.', number: 'The port by its number.' },
  'networking.v1.IngressTLS': { hosts: 'For which host names.', secretName: 'The Secret with certificate and key.' },
  'networking.v1.IngressStatus': { loadBalancer: 'Where it is reached.' },
  'networking.v1.IngressLoadBalancerStatus': { ingress: 'Addresses, one entry each.' },
  'networking.v1.IngressLoadBalancerIngress': {
    ip: 'Its address, where it has one.',
    hostname: 'Its name, where it has one.',
    ports: 'Ports of it, and what is wrong with them.',
  },
  'networking.v1.IngressPortStatus': INGRESS_PORT,
  'networking.v1.NetworkPolicy': {
    '': 'NetworkPolicy says with whom pods of its namespace may speak.',
    spec: 'Which pods it is about, and who may speak with them.',
  },
  'networking.v1.NetworkPolicyIngressRule': {
    ports: 'To which ports. Absent: to all.',
    from: 'From whom; one of them is enough. Absent: from everybody.',
  },
  'networking.v1.NetworkPolicyEgressRule': {
    ports: 'To which ports. Absent: to all.',
    to: 'To whom; one of them is enough. Absent: to everybody.',
  },
  'networking.v1.NetworkPolicyPeer': {
    podSelector: 'Pods by their labels, in this namespace or those of namespaceSelector.',
    namespaceSelector: 'Namespaces by their labels.',
    ipBlock: 'A range of addresses.',
  },
  'networking.v1.NetworkPolicyPort': {
    protocol: 'TCP, UDP or SCTP. TCP by default.',
    port: 'A port by its number or name. Absent: all of the protocol.',
    endPort: 'The last port of a range that begins with port.',
  },
  'networking.v1.IPBlock': { cidr: 'The range, as 10.0.0.0/8.', except: 'Ranges in it that are not meant.' },
  'rbac.v1.AggregationRule': { clusterRoleSelectors: 'ClusterRoles whose rules are taken in, by their labels.' },
  'storage.v1.CSINode': {
    '': 'CSINode names the drivers of storage that a node has; its name is that of the node.',
    spec: 'The drivers of the node.',
  },
  'storage.v1.CSINodeSpec': { drivers: 'One entry for each driver that has registered with the kubelet.' },
  'storage.v1.CSINodeDriver': {
    name: 'Name of the driver.',
    nodeID: 'What the driver calls the node.',
    topologyKeys: 'Labels by which the driver says where the node is.',
    allocatable: 'How many volumes of the driver the node takes.',
  },
  'storage.v1.VolumeNodeResources': { count: 'The most volumes that can be attached.' },
  'storage.v1.VolumeAttachment': {
    '': 'VolumeAttachment asks a driver to bring a volume to a node, or to take it away from there.',
    spec: 'Which volume is to be at which node.',
    status: 'Whether it is there.',
  },
  'storage.v1.VolumeAttachmentSpec': {
    attacher: 'Name of the driver that does it.',
    source: 'Which volume.',
    nodeName: 'Which node.',
  },
  'storage.v1.VolumeAttachmentSource': {
    persistentVolumeName: 'Name of the PersistentVolume.',
    inlineVolumeSpec: 'The volume itself, where no PersistentVolume stands for it.',
  },
  'storage.v1.VolumeAttachmentStatus': {
    attached: 'Whether it is attached.',
    attachmentMetadata: 'What the driver wants to be told when it mounts.',
    attachError: 'What went wrong last when attaching.',
    detachError: 'What went wrong last when detaching.',
  },
  'storage.v1.VolumeError': {
    time: 'When.',
    message: 'What went wrong.',
    errorCode: 'The number of gRPC for it.',
  },
  'storage.v1.VolumeAttributesClass': {
    '': 'VolumeAttributesClass is a set of properties, such as speed, that volumes may be given while they are in use.',
    driverName: 'Name of the driver.',
    parameters: 'What the driver is told; it stays as it is.',
  },
  'storage.v1.TokenRequest': {
    audience: 'For whom the token is meant.',
    expirationSeconds: 'How long it is good.',
  },
} as const;
