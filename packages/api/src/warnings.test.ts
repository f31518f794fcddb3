import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import { kindRules } from './kinds.ts';

type Fields = { readonly metadata?: object; readonly [field: string]: unknown };

interface Row {
  readonly name: string;
  /** `group/Kind`. */
  readonly kind: string;
  readonly object: Fields;
  readonly before?: Fields;
  readonly told: readonly string[];
}

const AFTER = { metadata: { generation: 2 } };
const BEFORE = { metadata: { generation: 1 } };
const NEGATIVE = { template: { spec: { terminationGracePeriodSeconds: -1 } } };
const GRACE =
  'template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1';
const DOTS =
  'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]';
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const TOKENS =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

// Texts: what upstream's API server of v1.36 puts into its Warning headers.
const ROWS: readonly Row[] = [
  ...['apps/Deployment', 'apps/ReplicaSet', '/ReplicationController', 'batch/Job'].map((kind) => ({
    name: 'a dotted name and a template',
    kind,
    object: { metadata: { name: 'a.b' }, spec: NEGATIVE },
    told: [DOTS, `spec.${GRACE}`],
  })),
  {
    name: 'a CronJob likewise',
    kind: 'batch/CronJob',
    object: { metadata: { name: 'a.b' }, spec: { jobTemplate: { spec: NEGATIVE } } },
    told: [DOTS, `spec.jobTemplate.spec.${GRACE}`],
  },
  {
    name: 'a schedule with a zone in it that was there before',
    kind: 'batch/CronJob',
    object: { spec: { schedule: 'TZ=UTC * * * * *' } },
    before: {},
    told: [
      'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
    ],
  },
  {
    name: 'more indexes than can be kept track of',
    kind: 'batch/Job',
    object: { spec: { completionMode: 'Indexed', completions: 100_001, parallelism: 10_001 } },
    told: [
      'spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail',
    ],
  },
  {
    name: 'a template that changed',
    kind: 'apps/DaemonSet',
    object: { ...AFTER, spec: NEGATIVE },
    before: BEFORE,
    told: [`spec.${GRACE}`],
  },
  {
    name: 'a template that did not change',
    kind: 'apps/Deployment',
    object: { ...AFTER, spec: NEGATIVE },
    before: AFTER,
    told: [],
  },
  {
    name: 'claims and history',
    kind: 'apps/StatefulSet',
    object: {
      spec: {
        revisionHistoryLimit: -1,
        volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '0.5' } } } }],
      },
    },
    told: [
      'spec.volumeClaimTemplates[0].resources.requests[storage]: fractional byte value "500m" is invalid, must be an integer',
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
    ],
  },
  {
    name: 'what was given up',
    kind: '/PersistentVolume',
    object: {
      metadata: { annotations: { [CLASS_ANNOTATION]: 'a', 'volume.beta.kubernetes.io/mount-options': 'b' } },
      spec: { persistentVolumeReclaimPolicy: 'Recycle', storageos: {} },
    },
    told: [
      `metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`,
      'metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead',
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
      'spec.storageOS: deprecated in v1.22, non-functional in v1.25+',
    ],
  },
  {
    name: 'half a byte',
    kind: '/PersistentVolumeClaim',
    object: {
      metadata: { annotations: { [CLASS_ANNOTATION]: 'a' } },
      spec: { resources: { limits: { storage: '0.5' } } },
    },
    told: [
      `metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`,
      'spec.resources.limits[storage]: fractional byte value "500m" is invalid, must be an integer',
    ],
  },
  {
    name: 'what a headless Service does not use',
    kind: '/Service',
    object: {
      metadata: { annotations: { 'service.kubernetes.io/topology-aware-hints': 'auto' } },
      spec: {
        type: 'ClusterIP',
        clusterIP: 'None',
        loadBalancerIP: 'FD00::1',
        externalIPs: ['10.0.0.1'],
        sessionAffinity: 'ClientIP',
        externalName: 'a',
        trafficDistribution: 'PreferClose',
      },
    },
    told: [
      'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
      'spec.loadBalancerIP is ignored for headless services',
      'spec.externalIPs is ignored for headless services',
      'spec.SessionAffinity is ignored for headless services',
      'spec.loadBalancerIP: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")',
      'spec.externalName is ignored when spec.type is not "ExternalName"',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ],
  },
  {
    name: 'external addresses, and ranges of a balancer',
    kind: '/Service',
    object: { spec: { type: 'LoadBalancer', externalIPs: ['10.0.0.1'], loadBalancerSourceRanges: ['10.0.0.1/8'] } },
    told: [
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
      'spec.loadBalancerSourceRanges[0]: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
    ],
  },
  {
    name: 'external addresses of a name',
    kind: '/Service',
    object: { spec: { type: 'ExternalName', externalName: 'a', externalIPs: ['10.0.0.1'] } },
    told: ['spec.externalIPs is ignored when spec.type is "ExternalName"'],
  },
  {
    name: 'by hand',
    kind: '/Endpoints',
    object: { subsets: [{ addresses: [{ ip: 'FD00::1' }] }] },
    told: ['subsets[0].addresses[0].ip: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")'],
  },
  {
    name: 'by the controller',
    kind: '/Endpoints',
    object: {
      metadata: { labels: { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' } },
      subsets: [{ addresses: [{ ip: 'FD00::1' }] }],
    },
    told: [],
  },
  {
    name: 'fields that mean nothing',
    kind: '/Node',
    object: { spec: { configSource: {}, externalID: 'x', podCIDRs: ['FD00::/64'] } },
    told: [
      'spec.configSource: the feature is removed',
      'spec.externalID: this field is deprecated, and is unused by Kubernetes',
      'spec.podCIDRs[0]: IPv6 CIDR value "FD00::/64" should be in RFC 5952 canonical format ("fd00::/64")',
    ],
  },
  {
    name: 'an annotation on its way out',
    kind: '/ServiceAccount',
    object: { metadata: { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } } },
    told: [
      'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
    ],
  },
  {
    name: 'more requested than the limit is',
    kind: '/ResourceQuota',
    object: { spec: { hard: { cpu: '2', 'limits.cpu': '1', 'requests.memory': '1Gi', 'limits.memory': '2Gi' } } },
    told: ['ResourceQuota cpu (2) should be less than limits.cpu (1)'],
  },
  {
    name: 'names as addresses',
    kind: 'discovery.k8s.io/EndpointSlice',
    object: { addressType: 'FQDN', endpoints: [{ addresses: ['a.b'] }] },
    told: ['spec.addressType: FQDN endpoints are deprecated'],
  },
  {
    name: 'the class in an annotation',
    kind: 'networking.k8s.io/Ingress',
    object: { metadata: { annotations: { 'kubernetes.io/ingress.class': 'a' } }, spec: {} },
    told: [`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`],
  },
  {
    name: 'ranges',
    kind: 'networking.k8s.io/NetworkPolicy',
    object: {
      spec: {
        ingress: [{ from: [{}, { ipBlock: { cidr: 'FD00::/64', except: ['FD00::/65'] } }] }],
        egress: [{ to: [{ ipBlock: { cidr: 'FD00::/64' } }] }],
      },
    },
    told: [
      'ingress[0].from[1].ipBlock.cidr',
      'ingress[0].from[1].ipBlock.except[0]',
      'egress[0].to[0].ipBlock.cidr',
    ].map((path, at) => {
      const length = at === 1 ? 65 : 64;
      return `spec.${path}: IPv6 CIDR value "FD00::/${length}" should be in RFC 5952 canonical format ("fd00::/${length}")`;
    }),
  },
  {
    name: 'a label of nodes that was given up',
    kind: 'node.k8s.io/RuntimeClass',
    object: { scheduling: { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } },
    told: ['scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead'],
  },
  {
    name: 'a label of nodes that was given up',
    kind: 'storage.k8s.io/StorageClass',
    object: { allowedTopologies: [{ matchLabelExpressions: [{ key: 'beta.kubernetes.io/os', values: [] }] }] },
    told: ['allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.14; use "kubernetes.io/os" instead'],
  },
  {
    name: 'labels of nodes that were given up',
    kind: 'storage.k8s.io/CSIStorageCapacity',
    object: {
      nodeTopology: {
        matchExpressions: [{ key: 'beta.kubernetes.io/os', operator: 'Exists' }],
        matchLabels: { 'node-role.kubernetes.io/master': '' },
      },
    },
    told: [
      'nodeTopology.matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
      'nodeTopology.matchLabels.node-role.kubernetes.io/master: use "node-role.kubernetes.io/control-plane" instead',
    ],
  },
  {
    name: 'tokens where logs may show them',
    kind: 'storage.k8s.io/CSIDriver',
    object: { spec: { tokenRequests: [{ audience: 'a' }] } },
    told: [TOKENS],
  },
  {
    name: 'tokens that were there before',
    kind: 'storage.k8s.io/CSIDriver',
    object: { spec: { tokenRequests: [{ audience: 'a' }] } },
    before: { spec: { tokenRequests: [{ audience: 'a' }] } },
    told: [],
  },
  {
    name: 'a driver in capitals',
    kind: 'resource.k8s.io/ResourceSlice',
    object: { spec: { driver: 'GPU.example.com' } },
    told: ['spec.driver: driver names should be lowercase; "GPU.example.com" contains uppercase characters'],
  },
  {
    name: 'a name that is kept for files',
    kind: 'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
    object: { metadata: { name: 'a.static.k8s.io' } },
    told: [
      'metadata.name: names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API',
    ],
  },
];

function objectOf(kind: string, fields: Fields): KubeObject {
  return { apiVersion: 'v1', kind, ...fields, metadata: { name: 'a', ...fields.metadata } } as KubeObject;
}

describe('warnings', () => {
  for (const { name, kind: path, object, before, told } of ROWS) {
    it(`${path}: ${name}`, () => {
      const [group = '', kind = ''] = path.split('/');
      const old = before === undefined ? undefined : objectOf(kind, before);
      assert.deepEqual(kindRules(group, kind).warnings?.(objectOf(kind, object), old), told);
    });
  }

  for (const [group, kind] of [
    ['', 'Service'],
    ['networking.k8s.io', 'Ingress'],
  ] as const) {
    it(`${kind}: an address of its balancer`, () => {
      const object = objectOf(kind, { status: { loadBalancer: { ingress: [{ hostname: 'a' }, { ip: 'FD00::1' }] } } });
      assert.deepEqual(kindRules(group, kind).statusWarnings?.(object), [
        'status.loadBalancer.ingress[1]: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")',
      ]);
    });
  }
});
