/** Resources of sig-api-machinery, sig-network, sig-node, sig-storage, sig-apps and sig-auth whose behaviour is their verbs. */
import { apiOperations, assertDiscovered } from '../api-operations.ts';
import type { Tested } from '../api-operations.ts';
import { behaviours } from '../world.ts';

const IMAGE = 'binnacle.local/frontend:1.0';

interface Row extends Tested {
  readonly codename: string;
  /** What discovery must name. */
  readonly discovered: readonly string[];
}

const CONDITION = {
  type: 'Ledger',
  status: 'True',
  reason: 'E2E',
  message: 'Set by an e2e test',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};
const policyRules = {
  matchConstraints: {
    resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }],
  },
};

const ROWS: readonly Row[] = [
  {
    codename: '[sig-api-machinery] API priority and fairness should support FlowSchema API operations [Conformance]',
    groupVersion: 'flowcontrol.apiserver.k8s.io/v1',
    resource: 'flowschemas',
    kind: 'FlowSchema',
    namespaced: false,
    discovered: ['flowschemas', 'flowschemas/status'],
    draft: () => ({
      spec: {
        matchingPrecedence: 10000,
        priorityLevelConfiguration: { name: 'global-default' },
        distinguisherMethod: { type: 'ByUser' },
        rules: [
          {
            subjects: [{ kind: 'User', user: { name: 'example-e2e-non-existent-user' } }],
            nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
          },
        ],
      },
    }),
    // Not `Dangling`: what is said of that is the server's own, and comes back.
    status: { conditions: [CONDITION] },
    isStatusAlone: true,
  },
  {
    codename:
      '[sig-api-machinery] API priority and fairness should support PriorityLevelConfiguration API operations [Conformance]',
    groupVersion: 'flowcontrol.apiserver.k8s.io/v1',
    resource: 'prioritylevelconfigurations',
    kind: 'PriorityLevelConfiguration',
    namespaced: false,
    discovered: ['prioritylevelconfigurations', 'prioritylevelconfigurations/status'],
    draft: () => ({
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 2, limitResponse: { type: 'Reject' } } },
    }),
    status: { conditions: [CONDITION] },
    isStatusAlone: true,
  },
  {
    codename:
      '[sig-api-machinery] ValidatingAdmissionPolicy [Privileged:ClusterAdmin] should support ValidatingAdmissionPolicy API operations [Conformance]',
    groupVersion: 'admissionregistration.k8s.io/v1',
    resource: 'validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    namespaced: false,
    discovered: ['validatingadmissionpolicies', 'validatingadmissionpolicies/status'],
    draft: () => ({
      spec: { ...policyRules, validations: [{ expression: 'object.spec.replicas <= 100' }] },
    }),
    status: { conditions: [CONDITION] },
    isStatusAlone: true,
  },
  {
    codename:
      '[sig-api-machinery] ValidatingAdmissionPolicy [Privileged:ClusterAdmin] should support ValidatingAdmissionPolicyBinding API operations [Conformance]',
    groupVersion: 'admissionregistration.k8s.io/v1',
    resource: 'validatingadmissionpolicybindings',
    kind: 'ValidatingAdmissionPolicyBinding',
    namespaced: false,
    discovered: ['validatingadmissionpolicybindings'],
    draft: () => ({ spec: { policyName: 'replicalimit-policy.example.com', validationActions: ['Deny'] } }),
  },
  {
    codename:
      '[sig-api-machinery] MutatingAdmissionPolicy [Privileged:ClusterAdmin] should support MutatingAdmissionPolicy API operations [Conformance]',
    groupVersion: 'admissionregistration.k8s.io/v1',
    resource: 'mutatingadmissionpolicies',
    kind: 'MutatingAdmissionPolicy',
    namespaced: false,
    discovered: ['mutatingadmissionpolicies'],
    draft: () => ({
      spec: {
        ...policyRules,
        reinvocationPolicy: 'Never',
        mutations: [
          {
            patchType: 'ApplyConfiguration',
            applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"a": "b"}}}' },
          },
        ],
      },
    }),
  },
  {
    codename:
      '[sig-api-machinery] MutatingAdmissionPolicy [Privileged:ClusterAdmin] should support MutatingAdmissionPolicyBinding API operations [Conformance]',
    groupVersion: 'admissionregistration.k8s.io/v1',
    resource: 'mutatingadmissionpolicybindings',
    kind: 'MutatingAdmissionPolicyBinding',
    namespaced: false,
    discovered: ['mutatingadmissionpolicybindings'],
    draft: () => ({ spec: { policyName: 'mutate-policy.example.com' } }),
  },
  {
    codename: '[sig-apps] CronJob should support CronJob API operations [Conformance]',
    groupVersion: 'batch/v1',
    resource: 'cronjobs',
    kind: 'CronJob',
    namespaced: true,
    discovered: ['cronjobs', 'cronjobs/status'],
    draft: () => ({
      spec: {
        schedule: '0 0 1 1 *',
        concurrencyPolicy: 'Allow',
        suspend: true,
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'c', image: IMAGE }] } } },
        },
      },
    }),
    status: { lastScheduleTime: '2026-01-01T00:00:00Z' },
  },
  {
    codename: '[sig-auth] Certificates API [Privileged:ClusterAdmin] should support CSR API operations [Conformance]',
    groupVersion: 'certificates.k8s.io/v1',
    resource: 'certificatesigningrequests',
    kind: 'CertificateSigningRequest',
    namespaced: false,
    discovered: [
      'certificatesigningrequests',
      'certificatesigningrequests/approval',
      'certificatesigningrequests/status',
    ],
    draft: () => ({
      spec: {
        request: certificateRequest(),
        signerName: 'example.com/e2e-ledger',
        usages: ['digital signature', 'key encipherment', 'server auth'],
      },
    }),
    status: { conditions: [{ type: 'StatusUpdate', status: 'True', reason: 'E2E', message: 'Set from an e2e test' }] },
  },
  {
    codename: '[sig-network] EndpointSlice should support creating EndpointSlice API operations [Conformance]',
    groupVersion: 'discovery.k8s.io/v1',
    resource: 'endpointslices',
    kind: 'EndpointSlice',
    namespaced: true,
    discovered: ['endpointslices'],
    draft: (n) => ({
      addressType: 'IPv4',
      endpoints: [{ addresses: [`10.9.8.${n}`] }],
      ports: [{ name: 'example', protocol: 'TCP', port: 80 }],
    }),
  },
  {
    codename: '[sig-network] Ingress API should support creating Ingress API operations [Conformance]',
    groupVersion: 'networking.k8s.io/v1',
    resource: 'ingresses',
    kind: 'Ingress',
    namespaced: true,
    discovered: ['ingresses', 'ingresses/status'],
    draft: () => ({
      spec: {
        // Of no class that is served here: its status is the test's alone.
        ingressClassName: 'example',
        defaultBackend: { service: { name: 'defaultbackend', port: { number: 80 } } },
        rules: [
          {
            host: 'host.example.com',
            http: {
              paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'test', port: { number: 80 } } } }],
            },
          },
        ],
      },
    }),
    status: { loadBalancer: { ingress: [{ ip: '169.1.1.1' }] } },
  },
  {
    codename: '[sig-network] IngressClass API should support creating IngressClass API operations [Conformance]',
    groupVersion: 'networking.k8s.io/v1',
    resource: 'ingressclasses',
    kind: 'IngressClass',
    namespaced: false,
    discovered: ['ingressclasses'],
    draft: () => ({ spec: { controller: 'example.com/controller' } }),
  },
  {
    codename: '[sig-network] ServiceCIDR and IPAddress API should support IPAddress API operations [Conformance]',
    groupVersion: 'networking.k8s.io/v1',
    resource: 'ipaddresses',
    kind: 'IPAddress',
    namespaced: false,
    discovered: ['ipaddresses'],
    nameOf: (n) => `192.0.2.${n}`,
    draft: () => ({ spec: { parentRef: { resource: 'services', name: 'foo', namespace: 'bar' } } }),
  },
  {
    codename: '[sig-node] RuntimeClass should support RuntimeClasses API operations [Conformance]',
    groupVersion: 'node.k8s.io/v1',
    resource: 'runtimeclasses',
    kind: 'RuntimeClass',
    namespaced: false,
    discovered: ['runtimeclasses'],
    draft: () => ({ handler: 'runc' }),
  },
  {
    codename: '[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 DeviceClass [Conformance]',
    groupVersion: 'resource.k8s.io/v1',
    resource: 'deviceclasses',
    kind: 'DeviceClass',
    namespaced: false,
    discovered: ['deviceclasses'],
    draft: () => ({ spec: { selectors: [{ cel: { expression: 'device.driver == "gpu.example.com"' } }] } }),
  },
  {
    codename: '[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 ResourceClaim [Conformance]',
    groupVersion: 'resource.k8s.io/v1',
    resource: 'resourceclaims',
    kind: 'ResourceClaim',
    namespaced: true,
    discovered: ['resourceclaims', 'resourceclaims/status'],
    draft: () => ({
      spec: { devices: { requests: [{ name: 'req-0', exactly: { deviceClassName: 'my-device-class' } }] } },
    }),
    status: {
      allocation: {
        devices: { results: [{ request: 'req-0', driver: 'gpu.example.com', pool: 'worker-1', device: 'gpu-0' }] },
      },
    },
    isStatusAlone: true,
  },
  {
    codename: '[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 ResourceClaimTemplate [Conformance]',
    groupVersion: 'resource.k8s.io/v1',
    resource: 'resourceclaimtemplates',
    kind: 'ResourceClaimTemplate',
    namespaced: true,
    discovered: ['resourceclaimtemplates'],
    draft: () => ({
      spec: { spec: { devices: { requests: [{ name: 'req-0', exactly: { deviceClassName: 'my-device-class' } }] } } },
    }),
  },
  {
    codename: '[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 ResourceSlice [Conformance]',
    groupVersion: 'resource.k8s.io/v1',
    resource: 'resourceslices',
    kind: 'ResourceSlice',
    namespaced: false,
    discovered: ['resourceslices'],
    draft: (n) => ({
      spec: {
        nodeName: 'worker-1',
        driver: 'gpu.example.com',
        pool: { name: `worker-${n}`, generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'gpu-0' }],
      },
    }),
  },
  {
    codename: '[sig-storage] CSIStorageCapacity should support CSIStorageCapacities API operations [Conformance]',
    groupVersion: 'storage.k8s.io/v1',
    resource: 'csistoragecapacities',
    kind: 'CSIStorageCapacity',
    namespaced: true,
    discovered: ['csistoragecapacities'],
    draft: () => ({ storageClassName: 'any', capacity: '5Gi' }),
  },
];

/** A request for a certificate as `openssl req` makes it: CN e2e.example.com, P-256. */
function certificateRequest(): string {
  const pem = `-----BEGIN CERTIFICATE REQUEST-----
MIHUMHwCAQAwGjEYMBYGA1UEAwwPZTJlLmV4YW1wbGUuY29tMFkwEwYHKoZIzj0C
AQYIKoZIzj0DAQcDQgAEqE8ZTaezTKvce/+FQwMtsoIHUaGqQsrNu8BHnoS1X7eu
+9xp5qbARuiUSuu+lSjT2WRap+yWbLQUU6Bb8unqwqAAMAoGCCqGSM49BAMCA0gA
MEUCIQDatOUMpKrHDgmkTA9CHipDzLhKC/ee0R/sBlzI0iIOcAIgOqLMzsyInNcV
IRyD0hwF+RjJQrENq3GS3wOlipIUeeQ=
-----END CERTIFICATE REQUEST-----
`;
  return Buffer.from(pem).toString('base64');
}

behaviours('simulated', 'API operations', (check) => {
  for (const row of ROWS) {
    check(row.codename, async (world) => {
      await assertDiscovered(world, row.groupVersion, row.discovered);
      await apiOperations(world, row);
    });
  }
});
