import type { QueueMeasures } from '@binnacle/base';

/** As upstream's `workqueue_…` call the queues of its controllers, where ours does the same work. */
const UPSTREAM: { readonly [queue: string]: string } = {
  'bootstrap-signer-controller': 'bootstrap_signer_queue',
  'cronjob-controller': 'cronjob',
  'daemonset-controller': 'daemonset',
  'deployment-controller': 'deployment',
  'disruption-controller': 'disruption',
  'endpoints-controller': 'endpoint',
  'endpointslice-controller': 'endpoint_slice',
  'endpointslice-mirroring-controller': 'endpoint_slice_mirroring',
  'ephemeral-volume-controller': 'ephemeral_volume',
  'garbage-collector-controller': 'garbage_collector_attempt_to_delete',
  'horizontal-pod-autoscaler-controller': 'horizontalpodautoscaler',
  'job-controller': 'job',
  'namespace-controller': 'namespace',
  'node-lifecycle-controller': 'node_lifecycle_controller',
  // Claims and volumes share ours.
  'persistentvolume-binder-controller': 'claims',
  'persistentvolume-expander-controller': 'volume_expand',
  'persistentvolume-protection-controller': 'pvprotection',
  'persistentvolumeclaim-protection-controller': 'pvcprotection',
  'pod-garbage-collector-controller': 'orphaned_pods_nodes',
  'replicaset-controller': 'replicaset',
  'replication-controller': 'replicationmanager',
  'resourceclaim-controller': 'resource_claim',
  'resourcequota-controller': 'resourcequota_primary',
  'root-ca-certificate-publisher': 'root_ca_cert_publisher',
  'service-account-controller': 'serviceaccount',
  'service-cidr-controller': 'ipaddresses',
  'statefulset-controller': 'statefulset',
  'taint-eviction-controller': 'noexec_taint_pod',
  'token-cleaner-controller': 'token_cleaner',
  'ttl-after-finished-controller': 'ttl_jobs_to_delete',
  'ttl-controller': 'ttlcontroller',
  'volumeattributesclass-protection-controller': 'vacprotection',
};

/** Keeps score of queues under upstream's names; those that only we have keep their own. */
export function underUpstreamNames(queues: QueueMeasures): QueueMeasures {
  return { queue: (name) => queues.queue(Object.hasOwn(UPSTREAM, name) ? (UPSTREAM[name] ?? name) : name) };
}
