/** What a decision looks at of volumes that are in use does not grow with the pods that use them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@binnacle/api/core/v1';
import type { VolumeAttachment } from '@binnacle/api/storage/v1';
import { CLAIMS, CSI_NODES, STORAGE_CLASSES, VOLUME_ATTACHMENTS, VOLUMES } from '../refs.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';

const DRIVER = 'csi.example.com';

class Volumes {
  readonly scene = new Scene();
  /** How often anybody read what a claim wants. */
  reads = 0;

  constructor(nodes: number, limit: number) {
    for (let i = 0; i < nodes; i++) {
      this.scene.nodes(makeNode(`n${i}`));
      this.limit(`n${i}`, limit);
    }
  }

  limit(name: string, count: number): void {
    const drivers = [{ name: DRIVER, nodeID: name, topologyKeys: [], allocatable: { count } }];
    this.scene.object(CSI_NODES, { metadata: { name }, spec: { drivers } });
  }

  volume(name: string): PersistentVolume {
    const volume = { metadata: { name: `v-${name}` }, spec: { csi: { driver: DRIVER, volumeHandle: name } } };
    this.scene.object(VOLUMES, volume);
    return volume;
  }

  /** A pod with a claim that is bound to a volume of its own. */
  pod(name: string): Pod {
    this.volume(name);
    const spec = { volumeName: `v-${name}` };
    const metadata = {
      name: `c-${name}`,
      namespace: 'default',
      annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
    };
    const counted: PersistentVolumeClaim = Object.defineProperty(
      { metadata, spec, status: { phase: 'Bound' } },
      'spec',
      {
        get: () => {
          this.reads++;
          return spec;
        },
      },
    );
    this.scene.object(CLAIMS, counted);
    return makePod(name, { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: `c-${name}` } }] });
  }

  /** How many reads a decision takes with so many pods placed. */
  readsWith(count: number): number {
    for (let i = 0; i < count; i++) assert.ok(this.scene.schedule(this.pod(`p${count}-${i}`)).node !== undefined);
    this.reads = 0;
    for (let i = 0; i < 4; i++) assert.ok(this.scene.schedule(this.pod(`q${count}-${i}`)).node !== undefined);
    return this.reads / 4;
  }
}

for (const [about, limit] of [
  ['while nodes have room', 1_000],
  ['while nodes become full', 11],
] as const) {
  test(`a decision reads no more claims with 4 and 16 times as many pods with volumes, ${about}`, () => {
    const once = new Volumes(8, limit).readsWith(5);
    assert.ok(once > 0);
    const more = [20, 80].map((count) => new Volumes(8, limit).readsWith(count));
    // The node that the pod before went to is counted anew: its own pods, of which there are more.
    const own = [5, 20, 80].map((count) => Math.ceil((count + 4) / 8));
    for (const [i, reads] of more.entries()) {
      assert.ok(reads <= once + 2 * (own[i + 1] ?? 0), `${reads} at ${[20, 80][i]}, ${once} at 5`);
    }
  });
}

test('what is counted follows claims, volumes, attachments, limits and who is on a node', () => {
  const volumes = new Volumes(1, 2);
  const { scene } = volumes;
  const fits = (pod: Pod): boolean => scene.decide(pod).node !== undefined;
  const late = volumes.pod('late');
  assert.ok(fits(late));
  scene.placed(volumes.pod('a'), 'n0');
  scene.placed(volumes.pod('b'), 'n0');
  assert.ok(!fits(late), 'two of two');
  volumes.limit('n0', 3);
  assert.ok(fits(late), 'a third one');
  const attachment: VolumeAttachment = {
    metadata: { name: 'left' },
    spec: { attacher: DRIVER, nodeName: 'n0', source: { persistentVolumeName: 'v-gone' } },
  };
  scene.object(VOLUME_ATTACHMENTS, attachment);
  assert.ok(fits(late), 'of a volume that nobody knows');
  const gone = volumes.volume('gone');
  assert.ok(!fits(late), 'it is one of the driver');
  scene.remove(VOLUMES, gone);
  assert.ok(fits(late));
  volumes.volume('gone');
  scene.remove(VOLUME_ATTACHMENTS, attachment);
  assert.ok(fits(late));
  // A claim without its volume counts as one once its class says so.
  const open = { accessModes: ['ReadWriteOnce' as const], storageClassName: 'later' };
  scene.object(CLAIMS, { metadata: { name: 'c-open', namespace: 'default' }, spec: open });
  scene.placed(makePod('open', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c-open' } }] }), 'n0');
  assert.ok(fits(late), 'no class');
  scene.object(STORAGE_CLASSES, { metadata: { name: 'later' }, provisioner: DRIVER });
  assert.ok(!fits(late), 'of this driver');
  const bound = { 'pv.kubernetes.io/bind-completed': 'yes' };
  scene.object(CLAIMS, {
    metadata: { name: 'c-open', namespace: 'default', annotations: bound },
    spec: { ...open, volumeName: 'v-a' },
  });
  assert.ok(fits(late), 'it got a volume that is there');
  const others = volumes.pod('others');
  scene.placed(others, 'n0');
  assert.ok(!fits(late));
  scene.state.release(others.metadata.uid ?? '');
  assert.ok(fits(late));
  scene.nodes(makeNode('n1'));
  scene.state.removeNode('n0');
  assert.equal(scene.decide(late).node, 'n1');
});
