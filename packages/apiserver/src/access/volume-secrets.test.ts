import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PersistentVolume } from '@binnacle/api/core/v1';
import { nodeSecretsOf } from './volume-secrets.ts';

const OWN = { namespace: 'own', name: 's' };
const CLAIMED = { namespace: 'claimed', name: 's' };

describe('the Secrets with which a node mounts a volume', () => {
  const rows: readonly (readonly [name: string, spec: object, wanted: readonly object[]])[] = [
    ['none', { hostPath: { path: '/' } }, []],
    ['what a controller attaches with is not for nodes', { csi: { controllerPublishSecretRef: OWN } }, []],
    ['what a controller expands with is not for nodes', { csi: { controllerExpandSecretRef: OWN } }, []],
    [
      'what a driver on the node is handed',
      { csi: { nodePublishSecretRef: OWN, nodeStageSecretRef: { ...OWN, name: 't' }, nodeExpandSecretRef: CLAIMED } },
      [OWN, { ...OWN, name: 't' }, CLAIMED],
    ],
    [
      'csi without a namespace takes none',
      { csi: { nodePublishSecretRef: { name: 's' } } },
      [{ namespace: '', name: 's' }],
    ],
    ['cinder', { cinder: { secretRef: OWN } }, [OWN]],
    ['storageos', { storageos: { secretRef: OWN } }, [OWN]],
    ['cephfs', { cephfs: { secretRef: OWN } }, [OWN]],
    ['cephfs in the namespace of its claim', { cephfs: { secretRef: { name: 's' } } }, [CLAIMED]],
    ['flexVolume in the namespace of its claim', { flexVolume: { secretRef: { name: 's' } } }, [CLAIMED]],
    ['rbd in the namespace of its claim', { rbd: { secretRef: { name: 's', namespace: '' } } }, [CLAIMED]],
    ['iscsi', { iscsi: { secretRef: OWN } }, [OWN]],
    ['scaleIO', { scaleIO: { secretRef: OWN } }, [OWN]],
    ['azureFile', { azureFile: { secretName: 's', secretNamespace: 'own' } }, [OWN]],
    ['azureFile in the namespace of its claim', { azureFile: { secretName: 's' } }, [CLAIMED]],
    ['one without a name', { azureFile: { secretName: '' }, csi: { nodePublishSecretRef: { namespace: 'own' } } }, []],
  ];
  for (const [name, spec, wanted] of rows) {
    test(name, () => {
      const volume = { metadata: {}, spec: { claimRef: { namespace: 'claimed', name: 'c' }, ...spec } };
      assert.deepEqual(nodeSecretsOf(volume as unknown as PersistentVolume), wanted);
    });
  }
  test('a volume without a spec', () => assert.deepEqual(nodeSecretsOf({ metadata: {} } as PersistentVolume), []));
});
