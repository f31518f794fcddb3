import { describe } from 'node:test';
import { NODES, PODS } from '@binnacle/api';
import { nodeUser } from '../access/users.ts';
import { admissionTable } from '../testing/admission.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { createNodeRestriction } from './node-restriction.ts';

describe('NodeRestriction', () => {
  const cache = new MemoryCache();
  cache.put(NODES, { metadata: { name: 'n1', uid: 'u1' } });
  const pod = (nodeName: string, more: object = {}): object => ({
    metadata: { namespace: 'default', name: `on-${nodeName}`, uid: 'p1', ...more },
    spec: { nodeName, containers: [] },
  });
  cache.put(PODS, pod('n1') as never);
  cache.put(PODS, pod('n2') as never);
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u1', controller: true };
  const mirror = (reference: object): object =>
    pod('n1', { name: 'm', annotations: { 'kubernetes.io/config.mirror': 'h' }, ownerReferences: [reference] });
  const user = nodeUser('n1');
  const node = (name: string, more: object = {}): object => ({ metadata: { name, ...more }, spec: {} });
  const slice = (nodeName?: string): object => ({
    metadata: { name: 's' },
    spec: { nodeName, allNodes: nodeName === undefined },
  });
  const token = (boundObjectRef: object): object => ({ metadata: {}, spec: { audiences: [], boundObjectRef } });
  admissionTable(createNodeRestriction(cache), [
    ['others are not looked at', { operation: 'CREATE', resource: 'pods', object: pod('n9') }, undefined],
    ['its mirror pod', { operation: 'CREATE', resource: 'pods', object: mirror(owner), user }, undefined],
    [
      'a pod that is no mirror',
      { operation: 'CREATE', resource: 'pods', object: pod('n1'), user },
      'pods "on-n1" is forbidden: pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
    ],
    [
      'a mirror of another life of the node',
      { operation: 'CREATE', resource: 'pods', object: mirror({ ...owner, uid: 'old' }), user },
      'pods "m" is forbidden: node n1 UID mismatch: expected u1 got old',
    ],
    [
      'status of a pod elsewhere',
      { operation: 'UPDATE', resource: 'pods/status', object: pod('n2'), before: pod('n2'), user },
      'pods "on-n2" is forbidden: node "n1" can only update pod status for pods with spec.nodeName set to itself',
    ],
    [
      'status of its pod',
      { operation: 'UPDATE', resource: 'pods/status', object: pod('n1'), before: pod('n1'), user },
      undefined,
    ],
    [
      'the claims of its pod',
      {
        operation: 'UPDATE',
        resource: 'pods/status',
        object: { ...pod('n1'), status: { resourceClaimStatuses: [{ name: 'a', resourceClaimName: 'other' }] } },
        before: { ...pod('n1'), status: { resourceClaimStatuses: [{ name: 'a', resourceClaimName: 'own' }] } },
        user,
      },
      'pods "on-n1" is forbidden: node "n1" cannot update resource claim statues',
    ],
    [
      'the claim for the extended resources of its pod',
      {
        operation: 'UPDATE',
        resource: 'pods/status',
        object: {
          ...pod('n1'),
          status: { extendedResourceClaimStatus: { resourceClaimName: 'x', requestMappings: [] } },
        },
        before: pod('n1'),
        user,
      },
      'pods "on-n1" is forbidden: node "n1" cannot update extended resource claim status',
    ],
    [
      'deletion of a pod elsewhere',
      { operation: 'DELETE', resource: 'pods', before: pod('n2'), user },
      'pods "on-n2" is forbidden: node "n1" can only delete pods with spec.nodeName set to itself',
    ],
    [
      'another node',
      { operation: 'UPDATE', resource: 'nodes/status', object: node('n2'), before: node('n2'), user },
      'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
    ],
    [
      'a label that is not its own to give',
      {
        operation: 'CREATE',
        resource: 'nodes',
        object: node('n1', {
          labels: {
            'kubernetes.io/os': 'linux',
            'node-role.kubernetes.io/master': '',
            'x.node-restriction.kubernetes.io/a': '',
          },
        }),
        user,
      },
      'nodes "n1" is forbidden: node "n1" is not allowed to set the following labels: node-role.kubernetes.io/master, x.node-restriction.kubernetes.io/a',
    ],
    [
      'a token that is bound to no pod',
      {
        operation: 'CREATE',
        resource: 'serviceaccounts/token',
        object: token({}),
        namespace: 'default',
        name: 'app',
        user,
      },
      'serviceaccounts "app" is forbidden: node requested token not bound to a pod',
    ],
    [
      'a token for a pod elsewhere',
      {
        operation: 'CREATE',
        resource: 'serviceaccounts/token',
        object: token({ kind: 'Pod', apiVersion: 'v1', name: 'on-n2', uid: 'p1' }),
        namespace: 'default',
        name: 'app',
        user,
      },
      'serviceaccounts "app" is forbidden: node requested token bound to a pod scheduled on a different node',
    ],
    [
      'a lease of another node',
      {
        operation: 'CREATE',
        resource: 'leases.coordination.k8s.io',
        object: { metadata: { namespace: 'kube-node-lease', name: 'n2' } },
        user,
      },
      'leases.coordination.k8s.io "n2" is forbidden: can only access node lease with the same name as the requesting node',
    ],
    [
      'a slice of devices of its own',
      { operation: 'CREATE', resource: 'resourceslices.resource.k8s.io', object: slice('n1'), user },
      undefined,
    ],
    [
      'a slice of another node',
      { operation: 'CREATE', resource: 'resourceslices.resource.k8s.io', object: slice('n2'), user },
      'resourceslices.resource.k8s.io "s" is forbidden: can only create ResourceSlice with the same NodeName as the requesting node',
    ],
    [
      'deleting a slice of all nodes',
      { operation: 'DELETE', resource: 'resourceslices.resource.k8s.io', before: slice(), user },
      'resourceslices.resource.k8s.io "s" is forbidden: can only delete ResourceSlice with the same NodeName as the requesting node',
    ],
  ]);
});
