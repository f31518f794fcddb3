import type { ControllerTable } from './controller-kit.ts';
import { runDisruptionController } from './disruption/wiring.ts';
import { runGarbageCollector } from './garbage/wiring.ts';
import { runNamespaceController } from './namespace/wiring.ts';
import { runNodeIpam } from './node-ipam/wiring.ts';
import { runNodeLifecycleController } from './node-lifecycle/wiring.ts';
import { runPodGarbageCollector } from './pod-gc/wiring.ts';
import { runRootCaPublisher } from './root-ca/wiring.ts';
import { runServiceAccountController } from './serviceaccount/wiring.ts';
import { runResourceQuotaController } from './resource-quota/wiring.ts';
import { runTaintEvictionController } from './taint-eviction/wiring.ts';
import { runServiceCidrController } from './service-cidr/wiring.ts';
import { runTtlController } from './ttl/wiring.ts';
import { runValidatingAdmissionPolicyStatus } from './validating-admission-policy-status/wiring.ts';
import { runTtlAfterFinishedController } from './ttl-after-finished/wiring.ts';

/** The controllers that keep the cluster itself in order. */
export const CLUSTER_CONTROLLERS: ControllerTable = {
  'namespace-controller': { account: 'namespace-controller', start: runNamespaceController },
  'serviceaccount-controller': { account: 'service-account-controller', start: runServiceAccountController },
  'root-ca-certificate-publisher-controller': { account: 'root-ca-cert-publisher', start: runRootCaPublisher },
  'node-ipam-controller': { account: 'node-controller', start: runNodeIpam },
  'node-lifecycle-controller': { account: 'node-controller', start: runNodeLifecycleController },
  'taint-eviction-controller': { account: 'node-controller', start: runTaintEvictionController },
  'pod-garbage-collector-controller': { account: 'pod-garbage-collector', start: runPodGarbageCollector },
  'ttl-controller': { account: 'ttl-controller', start: runTtlController },
  'service-cidr-controller': { account: 'service-cidrs-controller', start: runServiceCidrController },
  'disruption-controller': { account: 'disruption-controller', start: runDisruptionController },
  'ttl-after-finished-controller': {
    account: 'ttl-after-finished-controller',
    start: runTtlAfterFinishedController,
  },
  'resourcequota-controller': { account: 'resourcequota-controller', start: runResourceQuotaController },
  'validatingadmissionpolicy-status-controller': {
    account: 'validatingadmissionpolicy-status-controller',
    start: runValidatingAdmissionPolicyStatus,
  },
  'garbage-collector-controller': { account: 'generic-garbage-collector', start: runGarbageCollector },
};
