import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import { kindRules } from './kinds.ts';

function defaulted(group: string, kind: string, object: object): object {
  const draft = structuredClone(object) as KubeObject;
  kindRules(group, kind).defaults?.(draft);
  return draft;
}

// Values: upstream pkg/apis/*/v1/defaults.go, v1.36.
describe('defaults by kind', () => {
  const rows: [name: string, group: string, kind: string, given: object, expected: object][] = [
    [
      'rc: selector and labels from the template',
      '',
      'ReplicationController',
      { metadata: {}, spec: { template: { metadata: { labels: { a: 'b' } } } } },
      {
        metadata: { labels: { a: 'b' } },
        spec: { replicas: 1, selector: { a: 'b' }, template: { metadata: { labels: { a: 'b' } } } },
      },
    ],
    [
      'rc: own selector, zero replicas',
      '',
      'ReplicationController',
      {
        metadata: { labels: { x: 'y' } },
        spec: { replicas: 0, selector: { q: 'r' }, template: { metadata: { labels: { a: 'b' } } } },
      },
      {
        metadata: { labels: { x: 'y' } },
        spec: { replicas: 0, selector: { q: 'r' }, template: { metadata: { labels: { a: 'b' } } } },
      },
    ],
    ['rs', 'apps', 'ReplicaSet', { metadata: {}, spec: {} }, { metadata: {}, spec: { replicas: 1 } }],
    [
      'deployment',
      'apps',
      'Deployment',
      { metadata: {}, spec: {} },
      {
        metadata: {},
        spec: {
          replicas: 1,
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
          revisionHistoryLimit: 10,
          progressDeadlineSeconds: 600,
        },
      },
    ],
    [
      'deployment: recreate',
      'apps',
      'Deployment',
      { metadata: {}, spec: { replicas: 0, strategy: { type: 'Recreate' } } },
      {
        metadata: {},
        spec: {
          replicas: 0,
          strategy: { type: 'Recreate' },
          revisionHistoryLimit: 10,
          progressDeadlineSeconds: 600,
        },
      },
    ],
    [
      'daemon set',
      'apps',
      'DaemonSet',
      { metadata: {}, spec: {} },
      {
        metadata: {},
        spec: {
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
          revisionHistoryLimit: 10,
        },
      },
    ],
    [
      'service',
      '',
      'Service',
      { metadata: {}, spec: { ports: [{ port: 80 }, { port: 53, targetPort: 'dns', protocol: 'UDP' }] } },
      {
        metadata: {},
        spec: {
          type: 'ClusterIP',
          sessionAffinity: 'None',
          internalTrafficPolicy: 'Cluster',
          ports: [
            { port: 80, protocol: 'TCP', targetPort: 80 },
            { port: 53, protocol: 'UDP', targetPort: 'dns' },
          ],
        },
      },
    ],
    [
      'service: load balancer with affinity',
      '',
      'Service',
      {
        metadata: {},
        spec: { type: 'LoadBalancer', sessionAffinity: 'ClientIP' },
        status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }, { hostname: 'a' }] } },
      },
      {
        metadata: {},
        spec: {
          type: 'LoadBalancer',
          sessionAffinity: 'ClientIP',
          sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
          externalTrafficPolicy: 'Cluster',
          internalTrafficPolicy: 'Cluster',
          allocateLoadBalancerNodePorts: true,
        },
        status: { loadBalancer: { ingress: [{ ip: '1.2.3.4', ipMode: 'VIP' }, { hostname: 'a' }] } },
      },
    ],
    [
      'service: external name',
      '',
      'Service',
      { metadata: {}, spec: { type: 'ExternalName', externalName: 'a.b' } },
      { metadata: {}, spec: { type: 'ExternalName', externalName: 'a.b', sessionAffinity: 'None' } },
    ],
    [
      'namespace',
      '',
      'Namespace',
      { metadata: { name: 'n', labels: { 'kubernetes.io/metadata.name': 'wrong' } } },
      { metadata: { name: 'n', labels: { 'kubernetes.io/metadata.name': 'n' } }, status: { phase: 'Active' } },
    ],
    [
      'node',
      '',
      'Node',
      { metadata: {}, spec: { podCIDR: '10.0.0.0/24' }, status: { capacity: { cpu: '2' } } },
      {
        metadata: {},
        spec: { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] },
        status: { capacity: { cpu: '2' }, allocatable: { cpu: '2' } },
      },
    ],
    [
      'secret: type, and text folded into data',
      '',
      'Secret',
      { metadata: {}, data: { a: 'eA==', b: 'eQ==' }, stringData: { a: 'é' } },
      { metadata: {}, type: 'Opaque', data: { a: 'w6k=', b: 'eQ==' } },
    ],
    [
      'limit range',
      '',
      'LimitRange',
      { metadata: {}, spec: { limits: [{ type: 'Container', max: { cpu: '2' }, min: { memory: '1Mi' } }] } },
      {
        metadata: {},
        spec: {
          limits: [
            {
              type: 'Container',
              max: { cpu: '2' },
              min: { memory: '1Mi' },
              default: { cpu: '2' },
              defaultRequest: { cpu: '2', memory: '1Mi' },
            },
          ],
        },
      },
    ],
    [
      'role binding',
      'rbac.authorization.k8s.io',
      'RoleBinding',
      {
        metadata: {},
        roleRef: { kind: 'Role', name: 'r' },
        subjects: [
          { kind: 'User', name: 'u' },
          { kind: 'ServiceAccount', name: 's' },
        ],
      },
      {
        metadata: {},
        roleRef: { kind: 'Role', name: 'r', apiGroup: 'rbac.authorization.k8s.io' },
        subjects: [
          { kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' },
          { kind: 'ServiceAccount', name: 's' },
        ],
      },
    ],
    [
      'endpoint slice',
      'discovery.k8s.io',
      'EndpointSlice',
      { metadata: {}, ports: [{ port: 80 }] },
      { metadata: {}, ports: [{ port: 80, name: '', protocol: 'TCP' }] },
    ],
    [
      'priority class',
      'scheduling.k8s.io',
      'PriorityClass',
      { metadata: {}, value: 1 },
      { metadata: {}, value: 1, preemptionPolicy: 'PreemptLowerPriority' },
    ],
    ['unknown kind', 'example.com', 'Thing', { metadata: {} }, { metadata: {} }],
  ];
  for (const [name, group, kind, given, expected] of rows) {
    it(name, () => assert.deepEqual(defaulted(group, kind, given), expected));
  }

  it('is the same the second time', () => {
    for (const [, group, kind, given] of rows) {
      const once = defaulted(group, kind, given);
      assert.deepEqual(defaulted(group, kind, once), once);
    }
  });
});

describe('field selectors by kind', () => {
  it('reads values', () => {
    const read = (kind: string, label: string, object: object, group = ''): string | undefined =>
      kindRules(group, kind).fields?.[label]?.(object as KubeObject);
    assert.equal(read('Pod', 'spec.nodeName', { spec: { nodeName: 'n' } }), 'n');
    assert.equal(read('Pod', 'spec.nodeName', { spec: {} }), '');
    assert.equal(read('Pod', 'spec.hostNetwork', { spec: {} }), 'false');
    assert.equal(read('Pod', 'status.podIP', { spec: {}, status: { podIPs: [{ ip: '1.1.1.1' }] } }), '1.1.1.1');
    assert.equal(read('Node', 'spec.unschedulable', { spec: { unschedulable: true } }), 'true');
    assert.equal(read('Namespace', 'status.phase', { status: { phase: 'Active' } }), 'Active');
    assert.equal(read('ReplicationController', 'status.replicas', {}), '0');
    assert.equal(read('Job', 'status.successful', { status: { succeeded: 2 } }, 'batch'), '2');
    assert.equal(read('ReplicaSet', 'status.replicas', {}, 'apps'), undefined);
    const request = { spec: { signerName: 'example.com/s' } };
    assert.equal(read('CertificateSigningRequest', 'spec.signerName', request, 'certificates.k8s.io'), 'example.com/s');
    assert.equal(read('ResourceSlice', 'spec.driver', { spec: { driver: 'd' } }, 'resource.k8s.io'), 'd');
    assert.equal(read('Event', 'source', { involvedObject: {}, reportingComponent: 'r', source: {} }), 'r');
  });
});
