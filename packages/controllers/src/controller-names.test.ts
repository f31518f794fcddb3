import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { NOT_RUN_HERE } from './select-controllers.ts';
import { CONTROLLERS } from './start-controllers.ts';

/** Every name that kube-controller-manager v1.36 knows. */
const UPSTREAM = [
  'bootstrap-signer-controller',
  'certificatesigningrequest-approving-controller',
  'certificatesigningrequest-cleaner-controller',
  'certificatesigningrequest-signing-controller',
  'cloud-node-lifecycle-controller',
  'clusterrole-aggregation-controller',
  'cronjob-controller',
  'daemonset-controller',
  'deployment-controller',
  'device-taint-eviction-controller',
  'disruption-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'endpointslice-mirroring-controller',
  'ephemeral-volume-controller',
  'garbage-collector-controller',
  'horizontal-pod-autoscaler-controller',
  'job-controller',
  'kube-apiserver-serving-clustertrustbundle-publisher-controller',
  'legacy-serviceaccount-token-cleaner-controller',
  'namespace-controller',
  'node-ipam-controller',
  'node-lifecycle-controller',
  'node-route-controller',
  'persistentvolume-attach-detach-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-expander-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'pod-garbage-collector-controller',
  'podcertificaterequest-cleaner-controller',
  'podgroup-protection-controller',
  'replicaset-controller',
  'replicationcontroller-controller',
  'resourceclaim-controller',
  'resourcepoolstatusrequest-controller',
  'resourcequota-controller',
  'root-ca-certificate-publisher-controller',
  'selinux-warning-controller',
  'service-cidr-controller',
  'service-lb-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'statefulset-controller',
  'storage-version-migrator-controller',
  'storageversion-garbage-collector-controller',
  'taint-eviction-controller',
  'token-cleaner-controller',
  'ttl-after-finished-controller',
  'ttl-controller',
  'validatingadmissionpolicy-status-controller',
  'volumeattributesclass-protection-controller',
];

const PAGE = readFileSync(new URL('../../../docs/controllers.md', import.meta.url), 'utf8');

test("every name of upstream's is known, no other one is, and the page tells of each", () => {
  assert.deepEqual([...CONTROLLERS, ...NOT_RUN_HERE.keys()].toSorted(), UPSTREAM);
  const told = [...PAGE.matchAll(/`([a-z-]+-controller)`/g)].map(([, name]) => name);
  assert.deepEqual([...new Set(told)].toSorted(), UPSTREAM);
});
