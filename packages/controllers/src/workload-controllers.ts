import type { ControllerTable } from './controller-kit.ts';
import { runCronJobController } from './cronjob/wiring.ts';
import { runDaemonSetController } from './daemonset/wiring.ts';
import { runDeploymentController } from './deployment/wiring.ts';
import { runHorizontalPodAutoscaler } from './horizontal-pod-autoscaler/wiring.ts';
import { runJobController } from './job/wiring.ts';
import { runReplicaSetController } from './replicaset/wiring.ts';
import { runReplicationController } from './replication/wiring.ts';
import { runStatefulSetController } from './statefulset/wiring.ts';

/** The controllers that make pods, and what makes those that do or says how many. */
export const WORKLOAD_CONTROLLERS: ControllerTable = {
  'replicationcontroller-controller': { account: 'replication-controller', start: runReplicationController },
  'deployment-controller': { account: 'deployment-controller', start: runDeploymentController },
  'replicaset-controller': { account: 'replicaset-controller', start: runReplicaSetController },
  'daemonset-controller': { account: 'daemon-set-controller', start: runDaemonSetController },
  'job-controller': { account: 'job-controller', start: runJobController },
  'cronjob-controller': { account: 'cronjob-controller', start: runCronJobController },
  'statefulset-controller': { account: 'statefulset-controller', start: runStatefulSetController },
  'horizontal-pod-autoscaler-controller': { account: 'horizontal-pod-autoscaler', start: runHorizontalPodAutoscaler },
};
