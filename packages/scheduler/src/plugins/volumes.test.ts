import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, VolumeNodeAffinity } from '@binnacle/api/core/v1';
import type { CSINode } from '@binnacle/api/storage/v1';
import {
  CLAIMS,
  CSI_DRIVERS,
  CSI_NODES,
  STORAGE_CAPACITIES,
  STORAGE_CLASSES,
  VOLUME_ATTACHMENTS,
  VOLUMES,
} from '../refs.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';

const onNode = (name: string): VolumeNodeAffinity => ({
  required: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [name] }] }],
  },
});

function volume(
  name: string,
  spec: PersistentVolume['spec'] = {},
  labels: Record<string, string> = {},
): PersistentVolume {
  return {
    metadata: { name, uid: `pv-${name}`, labels },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], storageClassName: 'late', ...spec },
    status: { phase: 'Available' },
  };
}

function claim(
  name: string,
  spec: PersistentVolumeClaim['spec'] = {},
  annotations: Record<string, string> = {},
): PersistentVolumeClaim {
  const isBound = spec.volumeName !== undefined;
  return {
    metadata: {
      name,
      namespace: 'default',
      uid: `pvc-${name}`,
      annotations: { ...(isBound ? { 'pv.kubernetes.io/bind-completed': 'yes' } : {}), ...annotations },
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'late',
      resources: { requests: { storage: '1Gi' } },
      ...spec,
    },
    status: { phase: isBound ? 'Bound' : 'Pending' },
  };
}

const using = (name: string, ...claims: readonly string[]): Pod =>
  makePod(name, { volumes: claims.map((c) => ({ name: c, persistentVolumeClaim: { claimName: c } })) });

const storageClass = (provisioner: string, mode: 'Immediate' | 'WaitForFirstConsumer' = 'WaitForFirstConsumer') => ({
  metadata: { name: 'late' },
  provisioner,
  volumeBindingMode: mode,
});

function scene(...nodes: readonly Node[]): Scene {
  return new Scene().nodes(...(nodes.length === 0 ? [makeNode('a'), makeNode('b')] : nodes));
}

const ROWS: readonly { name: string; scene: () => Scene; pod: Pod; node?: string; message?: string }[] = [
  {
    name: 'a claim that is not there',
    scene: () => scene(),
    pod: using('p', 'data'),
    message: '0/2 nodes are available: persistentvolumeclaim "data" not found.',
  },
  {
    name: 'an unbound claim of an immediate class',
    scene: () => scene().object(STORAGE_CLASSES, storageClass('x', 'Immediate')).object(CLAIMS, claim('data')),
    pod: using('p', 'data'),
    message: '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
  },
  {
    name: 'a claim that is being deleted',
    scene: () => {
      const gone = claim('data', { volumeName: 'v' });
      return scene().object(CLAIMS, {
        ...gone,
        metadata: { ...gone.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
      });
    },
    pod: using('p', 'data'),
    message: '0/2 nodes are available: persistentvolumeclaim "data" is being deleted.',
  },
  {
    name: 'a bound volume draws the pod to where it is',
    scene: () =>
      scene()
        .object(VOLUMES, volume('v', { nodeAffinity: onNode('b') }))
        .object(CLAIMS, claim('data', { volumeName: 'v' })),
    pod: using('p', 'data'),
    node: 'b',
  },
  {
    name: 'a bound volume out of reach',
    scene: () =>
      scene()
        .object(VOLUMES, volume('v', { nodeAffinity: onNode('z') }))
        .object(CLAIMS, claim('data', { volumeName: 'v' })),
    pod: using('p', 'data'),
    message: "0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity.",
  },
  {
    name: 'a claim that waits gets a static volume where there is one',
    scene: () =>
      scene()
        .object(STORAGE_CLASSES, storageClass('kubernetes.io/no-provisioner'))
        .object(VOLUMES, volume('v', { nodeAffinity: onNode('b') }))
        .object(CLAIMS, claim('data')),
    pod: using('p', 'data'),
    node: 'b',
  },
  {
    name: 'a static volume that is too small, of other modes, or kept for another is none',
    scene: () =>
      scene()
        .object(STORAGE_CLASSES, storageClass('kubernetes.io/no-provisioner'))
        .object(VOLUMES, volume('small', { capacity: { storage: '1Mi' } }))
        .object(VOLUMES, volume('block', { volumeMode: 'Block' }))
        .object(VOLUMES, volume('shared', { accessModes: ['ReadOnlyMany'] }))
        .object(VOLUMES, volume('kept', { claimRef: { namespace: 'default', name: 'other' } }))
        .object(CLAIMS, claim('data')),
    pod: using('p', 'data'),
    message: "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind.",
  },
  {
    name: 'two claims do not share a volume',
    scene: () =>
      scene()
        .object(STORAGE_CLASSES, storageClass('kubernetes.io/no-provisioner'))
        .object(VOLUMES, volume('v'))
        .object(CLAIMS, claim('one'))
        .object(CLAIMS, claim('two')),
    pod: using('p', 'one', 'two'),
    message: "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind.",
  },
  {
    name: 'the smallest claim chooses first, whichever comes first in the pod',
    scene: () =>
      scene(makeNode('a'))
        .object(STORAGE_CLASSES, storageClass('kubernetes.io/no-provisioner'))
        .object(
          VOLUMES,
          volume('both', { capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce', 'ReadWriteMany'] }),
        )
        .object(VOLUMES, volume('one', { capacity: { storage: '5Gi' } }))
        .object(CLAIMS, claim('large', { resources: { requests: { storage: '5Gi' } } }))
        .object(CLAIMS, claim('shared', { accessModes: ['ReadWriteMany'] })),
    pod: using('p', 'large', 'shared'),
    node: 'a',
  },
  {
    name: 'a claim that a pod mounts twice is one volume',
    scene: () => {
      const driver = 'csi.example.com';
      return scene(makeNode('a'))
        .object(CSI_NODES, {
          metadata: { name: 'a' },
          spec: { drivers: [{ name: driver, nodeID: 'a', topologyKeys: [], allocatable: { count: 1 } }] },
        })
        .object(VOLUMES, volume('v', { csi: { driver, volumeHandle: '1' } }))
        .object(CLAIMS, claim('data', { volumeName: 'v' }));
    },
    pod: using('p', 'data', 'data'),
    node: 'a',
  },
  {
    name: 'a node that names no drivers, as its list rests once it is empty',
    scene: () => {
      const csi = { driver: 'csi.example.com', volumeHandle: '1' };
      return scene(makeNode('a'))
        .object(CSI_NODES, JSON.parse('{"metadata":{"name":"a"},"spec":{"drivers":null}}') as CSINode)
        .object(VOLUMES, volume('v', { csi }))
        .object(CLAIMS, claim('data', { volumeName: 'v' }));
    },
    pod: using('p', 'data'),
    node: 'a',
  },
  {
    name: 'a volume that is to be made there',
    scene: () =>
      scene()
        .object(STORAGE_CLASSES, storageClass('csi.example.com'))
        .object(CLAIMS, claim('data', {}, { 'volume.kubernetes.io/selected-node': 'b' })),
    pod: using('p', 'data'),
    node: 'b',
  },
  {
    name: 'topologies that the class allows',
    scene: () =>
      scene(makeNode('a', { labels: { zone: '1' } }), makeNode('b', { labels: { zone: '2' } }))
        .object(STORAGE_CLASSES, {
          ...storageClass('csi.example.com'),
          allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['2'] }] }],
        })
        .object(CLAIMS, claim('data')),
    pod: using('p', 'data'),
    node: 'b',
  },
  {
    name: 'storage that is left, where the driver tells',
    scene: () =>
      scene()
        .object(STORAGE_CLASSES, storageClass('csi.example.com'))
        .object(CSI_DRIVERS, { metadata: { name: 'csi.example.com' }, spec: { storageCapacity: true } })
        .object(STORAGE_CAPACITIES, {
          metadata: { name: 'c', namespace: 'kube-system' },
          storageClassName: 'late',
          capacity: '512Mi',
          nodeTopology: {},
        })
        .object(CLAIMS, claim('data')),
    pod: using('p', 'data'),
    message: '0/2 nodes are available: 2 node(s) did not have enough free storage.',
  },
  {
    name: 'a volume of another zone',
    scene: () =>
      scene(
        makeNode('a', { labels: { 'topology.kubernetes.io/zone': '1' } }),
        makeNode('b', { labels: { 'topology.kubernetes.io/zone': '2' } }),
      )
        .object(VOLUMES, volume('v', {}, { 'topology.kubernetes.io/zone': '2__3' }))
        .object(CLAIMS, claim('data', { volumeName: 'v' })),
    pod: using('p', 'data'),
    node: 'b',
  },
  {
    name: 'a volume that tells its zone by the label of old, of nodes that tell theirs by that of today',
    scene: () =>
      scene(
        makeNode('a', { labels: { 'topology.kubernetes.io/zone': '1' } }),
        makeNode('b', { labels: { 'topology.kubernetes.io/zone': '2' } }),
        makeNode('c', { labels: { 'topology.kubernetes.io/region': 'r' } }),
      )
        .object(VOLUMES, volume('v', {}, { 'failure-domain.beta.kubernetes.io/zone': '2' }))
        .object(CLAIMS, claim('data', { volumeName: 'v' })),
    pod: using('p', 'data'),
    node: 'b',
  },
  {
    name: 'a claim for one pod at a time',
    scene: () =>
      scene()
        .object(VOLUMES, volume('v'))
        .object(CLAIMS, claim('data', { volumeName: 'v', accessModes: ['ReadWriteOncePod'] }))
        .placed(using('first', 'data'), 'a'),
    pod: using('p', 'data'),
    message:
      '0/2 nodes are available: 2 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode.',
  },
  {
    name: 'a disk of the same node',
    scene: () => scene().placed(makePod('x', { volumes: [{ name: 'd', gcePersistentDisk: { pdName: 'disk' } }] }), 'a'),
    pod: makePod('p', { volumes: [{ name: 'd', gcePersistentDisk: { pdName: 'disk' } }] }),
    node: 'b',
  },
  {
    name: 'as many volumes of a driver as the node takes',
    scene: () => {
      const csi = (handle: string): PersistentVolume['spec'] => ({
        csi: { driver: 'csi.example.com', volumeHandle: handle },
      });
      return scene(makeNode('a'))
        .object(CSI_NODES, {
          metadata: { name: 'a' },
          spec: { drivers: [{ name: 'csi.example.com', nodeID: 'a', topologyKeys: [], allocatable: { count: 1 } }] },
        })
        .object(VOLUMES, volume('v', csi('1')))
        .object(VOLUMES, volume('w', csi('2')))
        .object(CLAIMS, claim('data', { volumeName: 'v' }))
        .object(CLAIMS, claim('more', { volumeName: 'w' }))
        .placed(using('x', 'data'), 'a');
    },
    pod: using('p', 'more'),
    message: '0/1 nodes are available: 1 node(s) exceed max volume count.',
  },
  {
    name: 'volumes that are still attached for pods that are gone take their places',
    scene: () => attachedTo('a', 'w'),
    pod: using('p', 'data'),
    message: '0/1 nodes are available: 1 node(s) exceed max volume count.',
  },
  {
    name: 'one that is still attached where its next pod goes needs no place more',
    scene: () => attachedTo('a', 'v'),
    pod: using('p', 'data'),
    node: 'a',
  },
  {
    name: 'volumes that are attached elsewhere take none',
    scene: () => attachedTo('b', 'w'),
    pod: using('p', 'data'),
    node: 'a',
  },
];

/** Node `a` takes one volume; volume `attached` is attached to a node, and nobody uses it. */
function attachedTo(nodeName: string, attached: string): Scene {
  const driver = 'csi.example.com';
  const world = scene(makeNode('a')).object(CLAIMS, claim('data', { volumeName: 'v' }));
  for (const name of ['v', 'w']) world.object(VOLUMES, volume(name, { csi: { driver, volumeHandle: name } }));
  return world
    .object(CSI_NODES, {
      metadata: { name: 'a' },
      spec: { drivers: [{ name: driver, nodeID: 'a', topologyKeys: [], allocatable: { count: 1 } }] },
    })
    .object(VOLUME_ATTACHMENTS, {
      metadata: { name: 'kept' },
      spec: { attacher: driver, nodeName, source: { persistentVolumeName: attached } },
    });
}

for (const row of ROWS) {
  test(`volumes: ${row.name}`, () => {
    const outcome = row.scene().decide(row.pod);
    assert.deepEqual([outcome.node, outcome.message], [row.node, row.message]);
  });
}

test('a volume that a pod on its way was promised is not promised again', () => {
  const world = scene()
    .object(STORAGE_CLASSES, storageClass('kubernetes.io/no-provisioner'))
    .object(VOLUMES, volume('v'))
    .object(CLAIMS, claim('one'))
    .object(CLAIMS, claim('two'));
  const plugin = world.plugins.byName.get('VolumeBinding');
  const first = world.decide(using('first', 'one'));
  assert.equal(first.decision.kind, 'placed');
  assert.equal(plugin?.reserve?.(world.demand(using('first', 'one')), first.node ?? ''), undefined);
  assert.equal(world.decide(using('second', 'two')).node, undefined);
  plugin?.unreserve?.(world.demand(using('first', 'one')), first.node ?? '');
  assert.equal(typeof world.decide(using('second', 'two')).node, 'string');
});

test('the claim is told its node, and the pod waits until it is bound', async () => {
  const world = scene(makeNode('a'))
    .object(STORAGE_CLASSES, storageClass('csi.example.com'))
    .object(CLAIMS, claim('data'));
  world.wire.seed(CLAIMS, claim('data'));
  const demand = world.demand(using('p', 'data'));
  const plugin = world.plugins.byName.get('VolumeBinding');
  assert.equal(plugin?.reserve?.(demand, 'a'), undefined);
  let isThrough = false;
  const through = Promise.resolve(plugin?.preBind?.(demand, 'a', {})).then(() => (isThrough = true));
  await world.clock.advance(1_000);
  assert.equal(world.wire.objects(CLAIMS)[0]?.metadata.annotations?.['volume.kubernetes.io/selected-node'], 'a');
  assert.equal(isThrough, false);
  world.object(CLAIMS, { ...claim('data', { volumeName: 'v' }), status: { phase: 'Pending' } });
  await world.clock.advance(1_000);
  assert.equal(isThrough, false, 'its phase is written last, and kubelets go by it');
  world.object(CLAIMS, claim('data', { volumeName: 'v' }));
  await through;
  assert.equal(isThrough, true);
});

test('a pod whose claims have their volumes waits for nobody, and is bound along with others', () => {
  const world = scene(makeNode('a'))
    .object(VOLUMES, { ...volume('v'), status: { phase: 'Bound' } })
    .object(CLAIMS, claim('data', { volumeName: 'v' }));
  const demand = world.demand(using('p', 'data'));
  const plugin = world.plugins.byName.get('VolumeBinding');
  assert.equal(plugin?.reserve?.(demand, 'a'), undefined);
  assert.equal(plugin?.preBind?.(demand, 'a', {}), undefined);
});

test('a claim whose controller has all but bound it is waited for; one that nobody looks after is not', async () => {
  const pending = { ...claim('data', { volumeName: 'v' }), status: { phase: 'Pending' as const } };
  const world = scene(makeNode('a')).object(VOLUMES, volume('v')).object(CLAIMS, pending);
  const demand = world.demand(using('p', 'data'));
  const plugin = world.plugins.byName.get('VolumeBinding');
  plugin?.reserve?.(demand, 'a');
  await plugin?.preBind?.(demand, 'a', {});
  world.object(VOLUMES, { ...volume('v'), status: { phase: 'Bound' } });
  let isThrough = false;
  const through = Promise.resolve(plugin?.preBind?.(demand, 'a', {})).then(() => (isThrough = true));
  await world.clock.advance(1_000);
  assert.equal(isThrough, false);
  world.object(CLAIMS, claim('data', { volumeName: 'v' }));
  await through;
});

test('a claim that is never bound gives the pod back', async () => {
  const world = scene(makeNode('a'))
    .object(STORAGE_CLASSES, storageClass('csi.example.com'))
    .object(CLAIMS, claim('data'));
  world.wire.seed(CLAIMS, claim('data'));
  const demand = world.demand(using('p', 'data'));
  const plugin = world.plugins.byName.get('VolumeBinding');
  plugin?.reserve?.(demand, 'a');
  const through = assert.rejects(async () => plugin?.preBind?.(demand, 'a', {}), { code: 'volume-binding' });
  await world.clock.advance(601_000);
  await through;
});

for (const [name, become, message] of [
  [
    'takes the node back',
    (world: Scene) => world.object(CLAIMS, { ...claim('data'), metadata: revised(claim('data')) }),
    'binding volumes: selectedNode annotation reset for PVC "data"',
  ],
  [
    'made the volume elsewhere',
    (world: Scene) =>
      world.object(VOLUMES, volume('v', { nodeAffinity: onNode('z') })).object(CLAIMS, {
        ...claim('data', { volumeName: 'v' }),
        metadata: revised(claim('data', { volumeName: 'v' })),
      }),
    'binding volumes: pv "v" node affinity doesn\'t match node "a"',
  ],
] as const) {
  test(`a pod waits no longer when the provisioner ${name}`, async () => {
    const world = scene(makeNode('a'))
      .object(STORAGE_CLASSES, storageClass('csi.example.com'))
      .object(CLAIMS, claim('data'));
    world.wire.seed(CLAIMS, claim('data'));
    const demand = world.demand(using('p', 'data'));
    const plugin = world.plugins.byName.get('VolumeBinding');
    plugin?.reserve?.(demand, 'a');
    const through = assert.rejects(async () => plugin?.preBind?.(demand, 'a', {}), { message });
    await world.clock.advance(1_000);
    become(world);
    await through;
  });
}

/** A claim as the server shows it after everything that was written before. */
function revised({ metadata }: PersistentVolumeClaim): PersistentVolumeClaim['metadata'] {
  return { ...metadata, resourceVersion: '1000' };
}
