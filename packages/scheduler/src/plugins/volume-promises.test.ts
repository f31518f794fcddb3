/** What claims of pods on their way were promised, by any profile. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@binnacle/api/core/v1';
import { CLAIMS, STORAGE_CLASSES, VOLUMES } from '../refs.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';
import { VolumePromises, volumePromisesOf } from './volume-promises.ts';

const claim = (name: string): PersistentVolumeClaim => ({
  metadata: { name, namespace: 'default', uid: `pvc-${name}`, resourceVersion: '1' },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'late', resources: { requests: { storage: '1Gi' } } },
  status: { phase: 'Pending' },
});
const volume = (name: string, node?: string): PersistentVolume => ({
  metadata: { name, uid: `pv-${name}`, resourceVersion: '1' },
  spec: {
    ...{
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'late',
      hostPath: { path: '/v' },
    },
    ...(node === undefined ? {} : { nodeAffinity: onNode(node) }),
  },
  status: { phase: 'Available' },
});
const onNode = (name: string): object => ({
  required: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [name] }] }],
  },
});
const using = (name: string, claimName: string): Pod =>
  makePod(name, { volumes: [{ name: 'd', persistentVolumeClaim: { claimName } }] });

/** Two nodes and a class whose volumes are bound with their first consumer. */
function sceneOf(provisioner: string): Scene {
  const world = new Scene().nodes(...['a', 'b'].map((name) => makeNode(name)));
  return world.object(STORAGE_CLASSES, {
    metadata: { name: 'late' },
    ...{ provisioner, volumeBindingMode: 'WaitForFirstConsumer' },
  });
}

test('a volume is promised to one claim, until no pod leans on that any more', () => {
  const promises = new VolumePromises();
  promises.add(claim('one'), { volume: 'v' });
  promises.add(claim('one'), { volume: 'v' });
  const free = (): readonly boolean[] => ['one', 'two'].map((name) => promises.isFree(volume('v'), claim(name)));
  assert.deepEqual([promises.of(claim('one')), free()], [{ volume: 'v' }, [true, false]]);
  promises.remove(claim('one'));
  assert.deepEqual(free(), [true, false], 'another pod has the claim, too');
  promises.remove(claim('one'));
  promises.remove(claim('one'));
  assert.deepEqual([promises.of(claim('one')), free()], [undefined, [true, true]]);
});

test('profiles of one scheduler share what was promised, schedulers do not', () => {
  const { state } = new Scene();
  assert.equal(volumePromisesOf(state), volumePromisesOf(state));
  assert.notEqual(volumePromisesOf(state), volumePromisesOf(new Scene().state));
});

describe('two pods with one claim, of which the API does not tell yet where it will be', () => {
  for (const [name, scene] of [
    [
      'gets one of two volumes',
      () =>
        sceneOf('kubernetes.io/no-provisioner').object(VOLUMES, volume('va', 'a')).object(VOLUMES, volume('vb', 'b')),
    ],
    ['has a volume made for it', () => sceneOf('csi.example.com')],
  ] as const)
    test(`one that ${name}`, () => {
      const world = scene().object(CLAIMS, claim('data'));
      const plugin = world.plugins.byName.get('VolumeBinding');
      const reserve = (pod: string, node: string) => plugin?.reserve?.(world.demand(using(pod, 'data')), node);
      const unreserve = (pod: string, node: string) => plugin?.unreserve?.(world.demand(using(pod, 'data')), node);
      for (const [node, other] of [
        ['a', 'b'],
        ['b', 'a'],
      ] as const) {
        assert.equal(reserve('first', node), undefined);
        assert.equal(reserve('second', other)?.plugin, 'VolumeBinding');
        assert.equal(world.decide(using('second', 'data')).node, node);
        unreserve('first', node);
        assert.equal(reserve('second', other), undefined, 'nothing is promised now');
        unreserve('second', other);
      }
    });
});

test('a pod whose claim somebody else bound to a volume elsewhere does not go to its node', async () => {
  const world = sceneOf('kubernetes.io/no-provisioner').object(CLAIMS, claim('data'));
  world.wire.seed(VOLUMES, volume('va', 'a'));
  for (const stored of world.wire.objects(VOLUMES)) world.object(VOLUMES, stored);
  const demand = world.demand(using('p', 'data'));
  const plugin = world.plugins.byName.get('VolumeBinding');
  assert.equal(plugin?.reserve?.(demand, 'a'), undefined);
  const message = 'binding volumes: pv "vb" node affinity doesn\'t match node "a"';
  const through = assert.rejects(async () => plugin?.preBind?.(demand, 'a', {}), { message });
  await world.clock.advance(1_000);
  const { metadata, spec, ...rest } = claim('data');
  world.object(VOLUMES, volume('vb', 'b')).object(CLAIMS, {
    ...rest,
    metadata: { ...metadata, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { ...spec, volumeName: 'vb' },
  });
  await through;
});
