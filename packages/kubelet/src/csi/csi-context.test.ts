import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CSIDriver, CSIDriverSpec } from '@binnacle/api/storage/v1';
import type { ObjectReader } from '../ports.ts';
import { testPod } from '../testing/node.ts';
import { checkLifecycle, planGroup, podInfo, podTokens, secretTexts } from './csi-context.ts';
import { volumeOf } from './testing.ts';

const driver = (spec: CSIDriverSpec): CSIDriver => ({ metadata: { name: 'd' }, spec });

for (const [name, object, lifecycle, wanted] of [
  ['without an object: what lasts', undefined, 'Persistent', undefined],
  ['without an object: nothing for one pod', undefined, 'Ephemeral', /no CSIDriver object/],
  ['nothing said: what lasts', driver({}), 'Persistent', undefined],
  ['nothing said: nothing for one pod', driver({}), 'Ephemeral', /only supports \["Persistent"\]/],
  ['both', driver({ volumeLifecycleModes: ['Persistent', 'Ephemeral'] }), 'Ephemeral', undefined],
  ['only for pods', driver({ volumeLifecycleModes: ['Ephemeral'] }), 'Persistent', /volume mode "Persistent" not supp/],
] as const) {
  test(`lives: ${name}`, () => {
    const check = (): void => checkLifecycle(object, volumeOf({ lifecycle }));
    if (wanted === undefined) check();
    else assert.throws(check, wanted);
  });
}

const ONCE = { fsType: 'ext4', accessModes: ['ReadWriteOnce'] };
for (const [name, policy, volume, delegates, wanted] of [
  ['a disk of one node', undefined, ONCE, false, { byKubelet: 7 }],
  ['of one pod', undefined, { ...ONCE, accessModes: ['ReadWriteOncePod'] }, false, { byKubelet: 7 }],
  ['of many nodes', undefined, { ...ONCE, accessModes: ['ReadWriteMany'] }, false, {}],
  ['no type of file system', undefined, { accessModes: ['ReadWriteOnce'] }, false, {}],
  [
    'of the pod itself',
    undefined,
    { fsType: 'ext4', lifecycle: 'Ephemeral', accessModes: [] },
    false,
    { byKubelet: 7 },
  ],
  ['always', 'File', { accessModes: ['ReadWriteMany'] }, false, { byKubelet: 7 }],
  ['read-only', 'File', { readOnly: true }, false, {}],
  ['never', 'None', ONCE, false, {}],
  ['the driver does it', 'None', ONCE, true, { byDriver: 7 }],
  ['a device has no group', 'File', { isBlock: true }, false, {}],
] as const) {
  test(`group: ${name}`, () => {
    const object = driver(policy === undefined ? {} : { fsGroupPolicy: policy });
    const pod = testPod({ spec: { securityContext: { fsGroup: 7 } } });
    assert.deepEqual(planGroup(object, volumeOf(volume), { pod, delegates }), wanted);
    assert.deepEqual(planGroup(object, volumeOf(volume), { pod: testPod(), delegates }), {});
  });
}

test('drivers are told of the pod where they ask for it', () => {
  const pod = testPod({ spec: { serviceAccountName: 'sa' } });
  assert.deepEqual(podInfo(driver({}), pod, 'Ephemeral'), {});
  assert.deepEqual(podInfo(driver({ podInfoOnMount: true }), pod, 'Ephemeral'), {
    'csi.storage.k8s.io/pod.name': 'web',
    'csi.storage.k8s.io/pod.namespace': 'default',
    'csi.storage.k8s.io/pod.uid': 'uid-web',
    'csi.storage.k8s.io/serviceAccount.name': 'sa',
    'csi.storage.k8s.io/ephemeral': 'true',
  });
});

test('tokens by audience, with when they end', async () => {
  const objects: Pick<ObjectReader, 'token'> = {
    token: async (_, audience, seconds) => ({ token: `t-${audience}`, expiresAt: seconds * 1000 }),
  };
  const object = driver({ tokenRequests: [{ audience: 'a', expirationSeconds: 600 }, { audience: '' }] });
  const { texts, expiresAt } = await podTokens(object, testPod(), objects);
  assert.equal(expiresAt, 600_000);
  assert.deepEqual(JSON.parse(texts['csi.storage.k8s.io/serviceAccount.tokens'] ?? ''), {
    a: { token: 't-a', expirationTimestamp: '1970-01-01T00:10:00Z' },
    '': { token: 't-', expirationTimestamp: '1970-01-01T01:00:00Z' },
  });
  assert.deepEqual(await podTokens(driver({}), testPod(), objects), { texts: {}, expiresAt: Infinity });
});

test('secrets are read once, and let go', async () => {
  let released = 0;
  const objects = {
    secret: async (namespace: string, name: string) =>
      name === 's' ? { metadata: { namespace }, data: { password: btoa('x') } } : undefined,
    release: () => void released++,
  };
  assert.deepEqual(await secretTexts(objects, { namespace: 'n', name: 's' }), { password: 'x' });
  await assert.rejects(secretTexts(objects, { namespace: 'n', name: 'none' }), /secret "none" not found/);
  assert.deepEqual(await secretTexts(objects, undefined), {});
  assert.equal(released, 2);
});
