/** The least that an object of each kind needs to be valid; kinds that need nothing are left out. */
interface Fixture {
  /** Where `x` will not do. */
  readonly name?: string;
  readonly fields: { readonly [field: string]: unknown };
}

const LABELS = { app: 'x' };
const POD_SPEC = { containers: [{ name: 'c', image: 'busybox' }] };
const TEMPLATE = { metadata: { labels: LABELS }, spec: POD_SPEC };
const WORKLOAD: Fixture = { fields: { spec: { selector: { matchLabels: LABELS }, template: TEMPLATE } } };
const JOB_TEMPLATE = { metadata: {}, spec: { ...POD_SPEC, restartPolicy: 'Never' } };

const MATCHES = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
};
/** For `CN=x`, P-256. */
const SIGNING_REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIR01HNENBUUF3RERFS01BZ0dBMVVFQXd3QmVEQlpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCS3JlNTBTU0ZIOGFLZXVWOHZhRVdZVjhWdTN4cVNVbkpqZ2NJQjhLQ1BDU0YvM0JyYjFpay9tTG1IUUxVSEJ6CktJUGdSYmNIT0RmTTNGUWdGc2UxQmw2Z0FEQUtCZ2dxaGtqT1BRUURBZ05JQURCRkFpQVNMQXhxVnFQNE9HUE4KdzF4ZmxadExGV2kzQkliYVplWmU2WDEweDlKWERBSWhBT25CR1laTFRkaUdMWkpVK1N6ay9hbTZNUTFvYjF2OAppSzVESG9nakJaNUIKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==';

/** Of `CN=x`, P-256, until 2099. */
const AUTHORITY =
  '-----BEGIN CERTIFICATE-----\nMIIBiDCCAS+gAwIBAgIQcaLFiKxENm6xx4o0/nEMGzAKBggqhkjOPQQDAjAMMQowCAYDVQQDEwF4MCAXDTIwMDEwMTAwMDAwMFoYDzIwOTkwMTAxMDAwMDAwWjAMMQowCAYDVQQDEwF4MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE2wBvhY8wOUB6TZWZ20v4NqbJWfTOfMm8kqmubymjD/Xnjw6A1OxZUJZeBm5XeruSQ2vUhW4iBjas28/n0cYxpKNxMG8wDgYDVR0PAQH/BAQDAgGGMA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0OBBYEFIgSI2KfbMTjGWb0dQGO65puG/rJMB8GA1UdIwQYMBaAFIgSI2KfbMTjGWb0dQGO65puG/rJMAwGA1UdEQQFMAOCAXgwCgYIKoZIzj0EAwIDRwAwRAIgSjwZsMadxuf6EnNlxZuofj9JKGfqSZjncTHKUPC8jA8CIB0eqD1fihoxMLz/Nae8qLtoV6AJfMcXqo7NiiEUbjRB\n-----END CERTIFICATE-----\n';

const FIXTURES: { readonly [kind: string]: Fixture } = {
  Pod: { fields: { spec: POD_SPEC } },
  PodTemplate: { fields: { template: TEMPLATE } },
  ReplicationController: { fields: { spec: { selector: LABELS, template: TEMPLATE } } },
  ReplicaSet: WORKLOAD,
  Deployment: WORKLOAD,
  DaemonSet: WORKLOAD,
  StatefulSet: { fields: { spec: { ...(WORKLOAD.fields['spec'] as object), serviceName: 'x' } } },
  ControllerRevision: { fields: { data: { spec: {} } } },
  Job: { fields: { spec: { template: JOB_TEMPLATE } } },
  CronJob: { fields: { spec: { schedule: '* * * * *', jobTemplate: { spec: { template: JOB_TEMPLATE } } } } },
  Service: { fields: { spec: { ports: [{ port: 80 }] } } },
  Event: {
    fields: {
      involvedObject: { namespace: 'paths' },
      regarding: { namespace: 'paths' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingComponent: 'test.io/x',
      reportingController: 'test.io/x',
      reportingInstance: 'x',
      action: 'Test',
      reason: 'Test',
      type: 'Normal',
    },
  },
  Lease: { fields: { spec: { holderIdentity: 'x', leaseDurationSeconds: 10 } } },
  PriorityClass: { fields: { value: 5 } },
  RoleBinding: { fields: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'x' } } },
  ClusterRoleBinding: {
    fields: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'x' } },
  },
  ResourceSlice: {
    fields: { spec: { driver: 'x.test.io', pool: { name: 'x', resourceSliceCount: 1 }, nodeName: 'x', devices: [] } },
  },
  EndpointSlice: { fields: { addressType: 'IPv4', endpoints: [], ports: [] } },
  CustomResourceDefinition: {
    name: 'xs.test.io',
    fields: {
      spec: {
        group: 'test.io',
        scope: 'Namespaced',
        names: { plural: 'xs', singular: 'x', kind: 'X', listKind: 'XList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    },
  },
  APIService: {
    name: 'v1.test.io',
    fields: {
      spec: {
        group: 'test.io',
        version: 'v1',
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        insecureSkipTLSVerify: true,
        service: { namespace: 'paths', name: 'x', port: 443 },
      },
    },
  },
  ValidatingAdmissionPolicy: {
    fields: { spec: { matchConstraints: MATCHES, validations: [{ expression: 'true' }], failurePolicy: 'Fail' } },
  },
  ValidatingAdmissionPolicyBinding: { fields: { spec: { policyName: 'x', validationActions: ['Deny'] } } },
  MutatingAdmissionPolicy: {
    fields: {
      spec: {
        matchConstraints: MATCHES,
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
        reinvocationPolicy: 'Never',
        failurePolicy: 'Fail',
      },
    },
  },
  MutatingAdmissionPolicyBinding: { fields: { spec: { policyName: 'x' } } },
  HorizontalPodAutoscaler: {
    fields: { spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' } } },
  },
  CertificateSigningRequest: {
    fields: { spec: { request: SIGNING_REQUEST, signerName: 'test.io/x', usages: ['client auth'] } },
  },
  ClusterTrustBundle: { fields: { spec: { trustBundle: AUTHORITY } } },
  FlowSchema: { fields: { spec: { priorityLevelConfiguration: { name: 'global-default' }, matchingPrecedence: 900 } } },
  PriorityLevelConfiguration: {
    fields: {
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } } },
    },
  },
  RuntimeClass: { fields: { handler: 'x' } },
  CSIStorageCapacity: { fields: { storageClassName: 'x' } },
  StorageClass: { fields: { provisioner: 'test.io/x' } },
  VolumeAttachment: {
    fields: { spec: { attacher: 'test.io', nodeName: 'n', source: { persistentVolumeName: 'x' } } },
  },
  VolumeAttributesClass: { fields: { driverName: 'test.io', parameters: { a: 'b' } } },
  PersistentVolume: {
    fields: {
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], nfs: { server: 'x', path: '/x' } },
    },
  },
  PersistentVolumeClaim: {
    fields: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  },
  Ingress: { fields: { spec: { defaultBackend: { service: { name: 'x', port: { number: 80 } } } } } },
  IngressClass: { fields: { spec: { controller: 'test.io/x' } } },
  IPAddress: {
    name: '192.168.1.5',
    fields: { spec: { parentRef: { resource: 'services', name: 'x', namespace: 'paths' } } },
  },
  ServiceCIDR: { fields: { spec: { cidrs: ['192.168.0.0/24'] } } },
};

export function fixtureOf(kind: string): Fixture {
  return FIXTURES[kind] ?? { fields: {} };
}

type Make = (apiVersion: string, kind: string) => object;

const review =
  (spec: object): Make =>
  (apiVersion, kind) => ({ apiVersion, kind, metadata: {}, spec });
const ACCESS = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'paths' } };

/** Bodies of what is answered by hand, by kind or by subresource. */
export const SUBRESOURCE_BODIES: { readonly [name: string]: Make } = {
  TokenReview: review({ token: 'none' }),
  SelfSubjectReview: (apiVersion, kind) => ({ apiVersion, kind, metadata: {} }),
  SelfSubjectAccessReview: review(ACCESS),
  SubjectAccessReview: review({ ...ACCESS, user: 'u' }),
  LocalSubjectAccessReview: (apiVersion, kind) => ({
    apiVersion,
    kind,
    metadata: { namespace: 'paths' },
    spec: { ...ACCESS, user: 'u' },
  }),
  SelfSubjectRulesReview: review({ namespace: 'paths' }),
  Binding: (apiVersion, kind) => ({ apiVersion, kind, metadata: { name: 'x' }, target: { kind: 'Node', name: 'n' } }),
  binding: () => ({ apiVersion: 'v1', kind: 'Binding', metadata: { name: 'x' }, target: { kind: 'Node', name: 'n' } }),
  eviction: () => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'x' } }),
  token: () => ({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: {} }),
};
