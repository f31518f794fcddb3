import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NODES } from '@binnacle/api';
import { admissionOf } from '../testing/admission.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { checkMirrorPodOfNode } from './mirror-pod.ts';

const cache = new MemoryCache();
cache.put(NODES, { metadata: { name: 'n1', uid: 'u1' } });
const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u1', controller: true };

interface Given {
  readonly owners?: readonly object[];
  readonly spec?: object;
  readonly annotations?: object;
  readonly node?: string;
}

function refusalOf({ owners = [owner], spec = {}, annotations, node = 'n1' }: Given): string | undefined {
  const object = {
    metadata: {
      namespace: 'default',
      name: 'm',
      annotations: annotations ?? { 'kubernetes.io/config.mirror': 'h' },
      ownerReferences: owners,
    },
    spec: { nodeName: node, containers: [], ...spec },
  };
  try {
    checkMirrorPodOfNode(admissionOf({ operation: 'CREATE', resource: 'pods', object }), node, cache);
    return undefined;
  } catch (error) {
    return (error as Error).message.replace('pods "m" is forbidden: ', '');
  }
}

const cannot = (what: string): string => `node "n1" can not create pods that reference ${what}`;

describe('a pod that a node makes', () => {
  const rows: readonly (readonly [name: string, given: Given, refusal: string | undefined])[] = [
    ['a mirror', {}, undefined],
    ['a mirror whose annotation is empty', { annotations: { 'kubernetes.io/config.mirror': '' } }, undefined],
    [
      'no mirror',
      { annotations: { constructor: 'h' } },
      'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
    ],
    [
      'for another node',
      { spec: { nodeName: 'n2' } },
      'node "n1" can only create pods with spec.nodeName set to itself',
    ],
    ['without an owner', { owners: [] }, 'node "n1" can only create pods with an owner reference set to itself'],
    [
      'with two owners',
      { owners: [owner, owner] },
      'node "n1" can only create pods with a single owner reference set to itself',
    ],
    [
      'owned by another node',
      { owners: [{ ...owner, name: 'n2' }] },
      'node "n1" can only create pods with an owner reference set to itself',
    ],
    [
      'owned by a Node of another group',
      { owners: [{ ...owner, apiVersion: 'example.com/v1' }] },
      'node "n1" can only create pods with an owner reference set to itself',
    ],
    [
      'not controlled by its owner',
      { owners: [{ ...owner, controller: undefined }] },
      'node "n1" can only create pods with a controller owner reference set to itself',
    ],
    [
      'that keeps its node from going',
      { owners: [{ ...owner, blockOwnerDeletion: true }] },
      'node "n1" must not set blockOwnerDeletion on an owner reference',
    ],
    ['of another life of the node', { owners: [{ ...owner, uid: 'u0' }] }, 'node n1 UID mismatch: expected u1 got u0'],
    ['of a node that is not there', { node: 'n9', owners: [{ ...owner, name: 'n9' }] }, 'nodes "n9" not found'],
    ['with an account', { spec: { serviceAccountName: 'a' } }, cannot('serviceaccounts')],
    ['with a Secret to pull with', { spec: { imagePullSecrets: [{ name: 's' }] } }, cannot('secrets')],
    [
      'with a Secret that a driver is handed',
      { spec: { volumes: [{ name: 'v', csi: { driver: 'd', nodePublishSecretRef: { name: 's' } } }] } },
      cannot('secrets'),
    ],
    [
      'with a Secret of a file share',
      { spec: { volumes: [{ name: 'v', azureFile: { secretName: 's', shareName: 'x' } }] } },
      cannot('secrets'),
    ],
    [
      'with a token',
      { spec: { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] } },
      cannot('serviceaccounts (via projected volumes)'),
    ],
    [
      'with a claim of its own',
      { spec: { volumes: [{ name: 'v', ephemeral: {} }] } },
      cannot('persistentvolumeclaims (via ephemeral volumes)'),
    ],
    ['with devices', { spec: { resourceClaims: [{ name: 'gpu' }] } }, cannot('resourceclaims')],
    ['with a directory of the node', { spec: { volumes: [{ name: 'v', hostPath: { path: '/' } }] } }, undefined],
  ];
  for (const [name, given, refusal] of rows) test(name, () => assert.equal(refusalOf(given), refusal));
});
