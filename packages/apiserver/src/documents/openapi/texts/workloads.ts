/** What is said of the parts and states of what runs pods, in words of our own: at most 25 of them a field. */
import { CONDITION, PROBED, GENERATION, COUNTS, LABELED } from './phrases.ts';

const TERMINATING = 'Pods that are on their way out and still there.';
const COLLISIONS = 'How often the name of a new revision was taken already; part of the next name.';

export const WORKLOAD_TEXTS = {
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
} as const;
