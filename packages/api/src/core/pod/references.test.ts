import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Pod, PodSpec } from '../../generated/core-v1.ts';
import { apiReferenceOf, configMapNamesOf, secretNamesOf } from './references.ts';

function pod(spec: object): Pod {
  return { metadata: {}, spec: { containers: [], ...spec } as PodSpec };
}

function volume(source: object): Pod {
  return pod({ volumes: [{ name: 'v', ...source }] });
}

const container = (name: string): object => ({
  name,
  env: [
    { name: 'A', valueFrom: { secretKeyRef: { name: `${name}-env`, key: 'k' } } },
    { name: 'B', valueFrom: { configMapKeyRef: { name: `${name}-map`, key: 'k' } } },
    { name: 'C', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'D', value: 'v' },
  ],
  envFrom: [{ secretRef: { name: `${name}-from` } }, { configMapRef: { name: `${name}-all` } }],
});
const everywhere = pod({
  containers: [container('main')],
  initContainers: [container('init')],
  ephemeralContainers: [container('debug')],
});

/** As it comes where a client leaves out what has to be there. */
const bare = pod({ containers: null, volumes: [{ name: 'v', projected: { sources: null } }] });

describe('the Secrets that a pod names', () => {
  const rows: readonly (readonly [name: string, given: Pod, wanted: readonly string[]])[] = [
    ['none', pod({}), []],
    ['of a pod that lacks what it needs', bare, []],
    ['of all containers', everywhere, ['init-from', 'init-env', 'main-from', 'main-env', 'debug-from', 'debug-env']],
    ['to pull with', pod({ imagePullSecrets: [{ name: 'pull' }, { name: '' }, {}] }), ['pull']],
    ['of a volume', volume({ secret: { secretName: 's' } }), ['s']],
    ['of a volume without a name', volume({ secret: {} }), []],
    [
      'of sources',
      volume({ projected: { sources: [{ secret: { name: 's' } }, { configMap: { name: 'c' } }] } }),
      ['s'],
    ],
    ['azureFile', volume({ azureFile: { secretName: 's', shareName: 'x' } }), ['s']],
    ['cephfs', volume({ cephfs: { monitors: [], secretRef: { name: 's' } } }), ['s']],
    ['cinder', volume({ cinder: { volumeID: 'x', secretRef: { name: 's' } } }), ['s']],
    ['csi', volume({ csi: { driver: 'd', nodePublishSecretRef: { name: 's' } } }), ['s']],
    ['csi without one', volume({ csi: { driver: 'd' } }), []],
    ['flexVolume', volume({ flexVolume: { driver: 'd', secretRef: { name: 's' } } }), ['s']],
    ['iscsi', volume({ iscsi: { secretRef: { name: 's' } } }), ['s']],
    ['rbd', volume({ rbd: { secretRef: { name: 's' } } }), ['s']],
    ['scaleIO', volume({ scaleIO: { secretRef: { name: 's' } } }), ['s']],
    ['storageos', volume({ storageos: { secretRef: { name: 's' } } }), ['s']],
    ['as often as named', pod({ imagePullSecrets: [{ name: 'a' }, { name: 'a' }] }), ['a', 'a']],
    ['called like a member of every object', volume({ secret: { secretName: 'constructor' } }), ['constructor']],
  ];
  for (const [name, given, wanted] of rows) test(name, () => assert.deepEqual(secretNamesOf(given), wanted));
});

describe('the ConfigMaps that a pod names', () => {
  const rows: readonly (readonly [name: string, given: Pod, wanted: readonly string[]])[] = [
    ['none', pod({}), []],
    ['of a pod that lacks what it needs', bare, []],
    ['of all containers', everywhere, ['init-all', 'init-map', 'main-all', 'main-map', 'debug-all', 'debug-map']],
    ['of a volume', volume({ configMap: { name: 'c' } }), ['c']],
    [
      'of sources',
      volume({ projected: { sources: [{ secret: { name: 's' } }, { configMap: { name: 'c' } }] } }),
      ['c'],
    ],
    ['without a name', volume({ configMap: {} }), []],
  ];
  for (const [name, given, wanted] of rows) test(name, () => assert.deepEqual(configMapNamesOf(given), wanted));
});

describe('what of the API a pod needs', () => {
  const sources = (...all: object[]): Pod => volume({ projected: { sources: all } });
  const rows: readonly (readonly [name: string, given: Pod, wanted: string | undefined])[] = [
    ['nothing', pod({ containers: [{ name: 'c', env: [{ name: 'A', value: 'b' }] }] }), undefined],
    ['an account', pod({ serviceAccountName: 'a' }), 'serviceaccounts'],
    ['an account without a name', pod({ serviceAccountName: '' }), undefined],
    ['a Secret goes before a ConfigMap', everywhere, 'secrets'],
    ['a ConfigMap', pod({ containers: [{ name: 'c', envFrom: [{ configMapRef: { name: 'c' } }] }] }), 'configmaps'],
    ['devices', pod({ resourceClaims: [{ name: 'gpu' }] }), 'resourceclaims'],
    [
      'a Secret that a driver is handed',
      volume({ csi: { driver: 'd', nodePublishSecretRef: { name: 's' } } }),
      'secrets',
    ],
    ['a driver', volume({ csi: { driver: 'd' } }), 'csidrivers (via CSI volumes)'],
    ['a claim', volume({ persistentVolumeClaim: { claimName: 'c' } }), 'persistentvolumeclaims'],
    ['a claim of its own', volume({ ephemeral: {} }), 'persistentvolumeclaims (via ephemeral volumes)'],
    ['a volume of a Secret without a name', volume({ secret: {} }), 'secrets (via secret volumes)'],
    ['a volume of a ConfigMap without a name', volume({ configMap: {} }), 'configmaps (via configmap volumes)'],
    ['endpoints', volume({ glusterfs: { endpoints: 'e', path: '/' } }), 'endpoints (via glusterFS volumes)'],
    ['a share', volume({ azureFile: { secretName: '', shareName: 'x' } }), 'secrets (via azureFile volumes)'],
    ['a token', sources({ serviceAccountToken: { path: 't' } }), 'serviceaccounts (via projected volumes)'],
    ['a source of a Secret without a name', sources({ secret: {} }), 'secrets (via projected volumes)'],
    ['a source of a ConfigMap without a name', sources({ configMap: {} }), 'configmaps (via projected volumes)'],
    ['trust', sources({ clusterTrustBundle: { path: 'ca' } }), 'clustertrustbundles'],
    ['a certificate', sources({ podCertificate: { keyType: 'ED25519' } }), 'podcertificates'],
    ['what it is itself', sources({ downwardAPI: {} }), undefined],
    [
      'the first that does',
      sources({ downwardAPI: {} }, { podCertificate: {} }, { clusterTrustBundle: {} }),
      'podcertificates',
    ],
    ['no sources', sources(), undefined],
    ['nobody said of what', bare, undefined],
    ['a source that nobody knows', sources({ quantum: {} }), 'an unknown source of the projected volume "v"'],
    ['a directory of the node', volume({ hostPath: { path: '/' } }), undefined],
    ['an image', volume({ image: { reference: 'x' } }), undefined],
    ['a disk by its secret', volume({ rbd: { secretRef: { name: 's' } } }), 'secrets'],
    ['a disk without one', volume({ rbd: {} }), undefined],
    ['a volume that nobody knows', volume({ quantum: {} }), 'an unknown type of volume ("v")'],
  ];
  for (const [name, given, wanted] of rows) test(name, () => assert.equal(apiReferenceOf(given), wanted));
});
