import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PODS } from '@binnacle/api';
import { nodeRules } from './default-roles/rbac-objects.ts';
import { attributesOf } from '../testing/attributes.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { createNodeAuthorizer } from './node-authorizer.ts';
import { NodeGraph } from './node-graph.ts';
import { nodeUser } from './users.ts';

function pod(name: string, nodeName?: string): never {
  return {
    metadata: { namespace: 'default', name, uid: name },
    spec: {
      ...(nodeName === undefined ? {} : { nodeName }),
      serviceAccountName: 'app',
      imagePullSecrets: [{ name: 'pull' }],
      containers: [
        {
          name: 'c',
          envFrom: [{ configMapRef: { name: 'settings' } }],
          env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'keys', key: 'x' } } }],
        },
      ],
      volumes: [
        { name: 'claim', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'token', projected: { sources: [{ configMap: { name: 'kube-root-ca.crt' } }] } },
      ],
    },
  } as never;
}

const cache = new MemoryCache();
cache.put(PODS, pod('here', 'n1'));
cache.put(PODS, pod('nowhere'));
cache.put({ group: '', resource: 'persistentvolumes' }, {
  metadata: { name: 'pv1' },
  spec: {
    claimRef: { namespace: 'default', name: 'data' },
    csi: { driver: 'd', volumeHandle: 'h', nodeStageSecretRef: { namespace: 'storage', name: 'stage' } },
  },
} as never);
cache.put({ group: 'resource.k8s.io', resource: 'resourceslices' }, {
  metadata: { name: 'gpus' },
  spec: { nodeName: 'n1' },
} as never);
const authorizer = createNodeAuthorizer(new NodeGraph(cache), nodeRules());

describe('a kubelet', () => {
  const unrelated = "no relationship found between node 'n2' and this object";
  const rows: readonly (readonly [string, string, true | string])[] = [
    ['n1', 'get core/secrets default/pull', true],
    ['n1', 'get core/secrets default/keys', true],
    ['n1', 'get core/configmaps default/settings', true],
    ['n1', 'watch core/configmaps default metadata.name=kube-root-ca.crt', true],
    ['n1', 'list core/configmaps default', 'No Object name found'],
    ['n1', 'list core/secrets', 'can only read namespaced object of this type'],
    ['n1', 'update core/secrets default/pull', 'can only read resources of this type'],
    ['n2', 'get core/secrets default/pull', unrelated],
    ['n1', 'get core/persistentvolumeclaims default/data', true],
    ['n1', 'get core/persistentvolumes /pv1', true],
    ['n2', 'get core/persistentvolumes /pv1', unrelated],
    ['n1', 'get core/secrets storage/stage', true],
    ['n1', 'create core/serviceaccounts/token default/app', true],
    ['n2', 'create core/serviceaccounts/token default/app', unrelated],
    ['n1', 'create core/serviceaccounts default', 'can only create tokens for individual service accounts'],
    ['n1', 'watch core/pods  spec.nodeName=n1', true],
    ['n1', 'watch core/pods', 'can only list/watch pods with spec.nodeName field selector'],
    ['n1', 'get core/pods default/here', true],
    ['n1', 'get core/pods default/nowhere', "no relationship found between node 'n1' and this object"],
    ['n1', 'patch core/pods/status default/here', true],
    ['n1', 'create core/pods default', true],
    ['n1', 'update core/pods default/here', ''],
    ['n1', 'get core/nodes /n1', true],
    ['n1', 'get core/nodes /n2', "node 'n1' cannot read 'n2', only its own Node object"],
    ['n1', 'list core/nodes', "node 'n1' cannot read all nodes, only its own Node object"],
    ['n1', 'list core/nodes  metadata.name=n1', true],
    ['n1', 'delete core/nodes /n1', ''],
    ['n1', 'update coordination.k8s.io/leases kube-node-lease/n1', true],
    [
      'n1',
      'update coordination.k8s.io/leases kube-node-lease/n2',
      'can only access node lease with the same name as the requesting node',
    ],
    [
      'n1',
      'get coordination.k8s.io/leases default/n1',
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    ['n1', 'get resource.k8s.io/resourceslices /gpus', true],
    ['n1', 'delete resource.k8s.io/resourceslices /gpus', true],
    ['n2', 'update resource.k8s.io/resourceslices /gpus', unrelated],
    ['n2', 'create resource.k8s.io/resourceslices', true],
    ['n1', 'list resource.k8s.io/resourceslices  spec.nodeName=n1', true],
    [
      'n1',
      'deletecollection resource.k8s.io/resourceslices  spec.nodeName=n2',
      'can only list/watch/deletecollection resourceslices with nodeName field selector',
    ],
    [
      'n1',
      'list resource.k8s.io/resourceslices',
      'can only list/watch/deletecollection resourceslices with nodeName field selector',
    ],
    ['n1', 'get core/serviceaccounts default/app', true],
    ['n2', 'get core/serviceaccounts default/app', unrelated],
    ['n1', 'list core/serviceaccounts default', 'can only create tokens for individual service accounts'],
    ['n1', 'list core/services', true],
    ['n1', 'create core/events default', true],
    ['n1', 'list apps/deployments', ''],
  ];
  for (const [node, text, expected] of rows) {
    test(`${node}: ${text}`, () => {
      const answer = authorizer.authorize(attributesOf(nodeUser(node), text));
      assert.deepEqual(answer, {
        decision: expected === true ? 'allow' : 'noOpinion',
        reason: expected === true ? '' : expected,
      });
    });
  }
});

test('the right ends with the pod and begins with the binding', () => {
  const asked = attributesOf(nodeUser('n3'), 'get core/secrets default/pull');
  cache.put(PODS, pod('later'));
  assert.equal(authorizer.authorize(asked).decision, 'noOpinion');
  cache.put(PODS, pod('later', 'n3'));
  assert.equal(authorizer.authorize(asked).decision, 'allow');
  cache.remove(PODS, 'default', 'later');
  assert.equal(authorizer.authorize(asked).decision, 'noOpinion');
});

test('nobody else is judged', () => {
  const user = { name: 'system:node:n1', groups: ['system:authenticated'] };
  assert.equal(authorizer.authorize(attributesOf(user, 'get core/secrets default/pull')).decision, 'noOpinion');
});
