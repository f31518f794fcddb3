import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@binnacle/api/core/v1';
import type { ObjectReader, TreeOwner } from '../../ports.ts';
import { testPod } from '../../testing/node.ts';
import type { VolumeCall } from '../driver.ts';
import { createMemoryFiles } from '../memory-files.ts';
import { driverFor } from './registry.ts';

const CLAIM: PersistentVolumeClaim = {
  metadata: { name: 'data', namespace: 'default', uid: 'claim-uid' },
  spec: { volumeName: 'pv' },
  status: { phase: 'Bound' },
};
const GOING: PersistentVolumeClaim = {
  ...CLAIM,
  metadata: { ...CLAIM.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
};
const RUNNING = { name: 'c', image: 'x', imageID: '', ready: true, restartCount: 0, containerID: 'simulated://1' };
const HOST: PersistentVolume = {
  metadata: { name: 'pv' },
  spec: { capacity: {}, claimRef: { uid: 'claim-uid' }, hostPath: { path: '/disk' } },
} as unknown as PersistentVolume;
const LOCAL = {
  ...HOST,
  spec: { ...HOST.spec, hostPath: undefined, local: { path: '/disk' } },
} as unknown as PersistentVolume;

const BLOCK: PersistentVolumeClaim = { ...CLAIM, spec: { volumeName: 'pv', volumeMode: 'Block' } };

interface Scene {
  readonly container?: Partial<Container>;
  readonly volume?: Omit<Volume, 'name'>;
  readonly claim?: PersistentVolumeClaim | undefined;
  readonly pv?: PersistentVolume | undefined;
  readonly policy?: 'Always' | 'OnRootMismatch';
  /** It was set up for the pod before. */
  readonly had?: boolean;
  readonly status?: Pod['status'];
}

async function setUp(scene: Scene): Promise<{ mounted: unknown; groups: unknown[] }> {
  const files = createMemoryFiles();
  const groups: unknown[] = [];
  files.changeGroup = async (path: string, owner: TreeOwner) => void groups.push([path, owner]);
  await files.makeDirectory('/disk');
  await files.writeFile('/file', new Uint8Array());
  const claim = 'claim' in scene ? scene.claim : CLAIM;
  const pv = 'pv' in scene ? scene.pv : HOST;
  const objects = {
    claim: async (_: string, name: string) => (claim?.metadata.name === name ? claim : undefined),
    persistentVolume: async () => pv,
  } as unknown as ObjectReader;
  const volume = { name: 'v', ...(scene.volume ?? { persistentVolumeClaim: { claimName: 'data' } }) };
  const securityContext = { fsGroup: 7, ...(scene.policy === undefined ? {} : { fsGroupChangePolicy: scene.policy }) };
  const call = {
    pod: {
      ...testPod({ spec: { securityContext }, container: scene.container ?? {} }),
      ...(scene.status === undefined ? {} : { status: scene.status }),
    },
    volume,
    files,
    objects,
    memory: new Map(scene.had === true ? [['had', 'yes']] : []),
  } as unknown as VolumeCall;
  const mounted = await driverFor(volume)?.setUp(call);
  return { mounted, groups };
}

const rows: readonly [string, Scene, object | RegExp, unknown[]?][] = [
  ['a hostPath', {}, { hostPath: '/disk', readOnly: false }, []],
  ['one that is being deleted', { claim: GOING }, /error processing PVC default\/data: PVC is being deleted/],
  ['one that is being deleted, had before', { claim: GOING, had: true }, { hostPath: '/disk', readOnly: false }],
  [
    'one that is being deleted, had by the kubelet before',
    { claim: GOING, status: { containerStatuses: [RUNNING] } },
    { hostPath: '/disk', readOnly: false },
  ],
  [
    'one that is being deleted, of a pod that waits',
    { claim: GOING, status: { containerStatuses: [{ ...RUNNING, containerID: '' }] } },
    /PVC is being deleted/,
  ],
  [
    'read-only as the pod asks',
    { volume: { persistentVolumeClaim: { claimName: 'data', readOnly: true } }, pv: LOCAL },
    { hostPath: '/disk', readOnly: true },
    [],
  ],
  [
    'a local disk, given to the group',
    { pv: LOCAL },
    { hostPath: '/disk', readOnly: false },
    [['/disk', { gid: 7, readOnly: false, onMismatch: false }]],
  ],
  [
    'the group only where it differs',
    { pv: LOCAL, policy: 'OnRootMismatch' },
    { hostPath: '/disk', readOnly: false },
    [['/disk', { gid: 7, readOnly: false, onMismatch: true }]],
  ],
  [
    'one that belongs to a group',
    { pv: { ...HOST, metadata: { name: 'pv', annotations: { 'pv.beta.kubernetes.io/gid': '1234' } } } },
    { hostPath: '/disk', readOnly: false, group: 1234 },
  ],
  [
    'one of a group that is none',
    { pv: { ...HOST, metadata: { name: 'pv', annotations: { 'pv.beta.kubernetes.io/gid': 'staff' } } } },
    { hostPath: '/disk', readOnly: false },
  ],
  [
    'no such claim',
    { claim: undefined },
    /^error processing PVC default\/data: failed to fetch PVC from API server: persistentvolumeclaims "data" not found$/,
  ],
  [
    'a claim that waits',
    { claim: { ...CLAIM, spec: {}, status: { phase: 'Pending' } } },
    /^error processing PVC default\/data: PVC is not bound$/,
  ],
  ['a path that is no device', { claim: BLOCK }, /^volume pv cannot be a block device on this node$/],
  ['a device of the node', { claim: BLOCK, pv: LOCAL }, { hostPath: '/disk', readOnly: false, isBlock: true }],
  [
    'a device that is asked for as a folder',
    { claim: BLOCK, pv: LOCAL, container: { volumeMounts: [{ name: 'v', mountPath: '/v' }] } },
    /^volume v has volumeMode Block, but is specified in volumeMounts$/,
  ],
  [
    'a folder that is asked for as a device',
    { container: { volumeDevices: [{ name: 'v', devicePath: '/dev/x' }] } },
    /^volume v has volumeMode Filesystem, but is specified in volumeDevices$/,
  ],
  [
    'a volume of a driver, on a node without any',
    {
      pv: {
        ...HOST,
        spec: { claimRef: { uid: 'claim-uid' }, csi: { driver: 'd', volumeHandle: 'h' } },
      } as PersistentVolume,
    },
    /this node has no CSI drivers/,
  ],
  ['no such volume', { pv: undefined }, /: failed to fetch PV pv from API server: persistentvolumes "pv" not found$/],
  [
    "another claim's volume",
    { pv: { ...HOST, spec: { ...HOST.spec, claimRef: { uid: 'other' } } } },
    /: found PV object pv but its pv.Spec.ClaimRef.UID other does not point to claim.UID claim-uid$/,
  ],
  [
    'a volume of another kind',
    { pv: { ...HOST, spec: { claimRef: { uid: 'claim-uid' }, nfs: { server: 's', path: '/' } } } as PersistentVolume },
    /volume pv \(nfs\) is not supported/,
  ],
  [
    'a local path that is not there',
    { pv: { ...LOCAL, spec: { ...LOCAL.spec, local: { path: '/none' } } } },
    /path "\/none" does not exist/,
  ],
  [
    'a local path that is a file',
    { pv: { ...LOCAL, spec: { ...LOCAL.spec, local: { path: '/file' } } } },
    /path "\/file" is not a directory/,
  ],
  [
    "somebody else's ephemeral claim",
    { volume: { ephemeral: {} }, claim: { ...CLAIM, metadata: { ...CLAIM.metadata, name: 'web-v' } } },
    /^PVC default\/web-v was not created for pod default\/web \(pod is not owner\)/,
  ],
  [
    'an ephemeral claim of the pod',
    {
      volume: { ephemeral: {} },
      claim: {
        ...CLAIM,
        metadata: {
          ...CLAIM.metadata,
          name: 'web-v',
          ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'uid-web', controller: true }],
        },
      },
    },
    { hostPath: '/disk', readOnly: false },
  ],
];

for (const [name, scene, wanted, groups] of rows) {
  test(`claim: ${name}`, async () => {
    if (wanted instanceof RegExp) return assert.rejects(setUp(scene), { message: wanted });
    const got = await setUp(scene);
    assert.deepEqual(got.mounted, wanted);
    if (groups !== undefined) assert.deepEqual(got.groups, groups);
  });
}
