import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node, Pod } from '@binnacle/api/core/v1';
import { demandOf } from '../plan/demand.ts';
import { CLAIMS, CSI_NODES, POD_DISRUPTION_BUDGETS, VOLUMES } from '../refs.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';

const urgent = (spec: Parameters<typeof makePod>[1] = {}): Pod =>
  makePod('urgent', { cpu: '2', priority: 100, ...spec });

function running(name: string, priority: number, spec: { cpu?: string; started?: string; app?: string } = {}): Pod {
  const pod = makePod(name, { cpu: spec.cpu ?? '2', priority, labels: { app: spec.app ?? 'any' } });
  return { ...pod, status: { startTime: spec.started ?? '2026-01-01T00:00:00Z' } };
}

function budget(app: string, disruptionsAllowed: number): Parameters<Scene['object']>[1] {
  return {
    metadata: { name: app, namespace: 'default' },
    spec: { selector: { matchLabels: { app } } },
    status: { disruptionsAllowed },
  } as Parameters<Scene['object']>[1];
}

interface Row {
  readonly name: string;
  readonly nodes?: readonly Node[];
  readonly placed: readonly [Pod, string][];
  readonly budgets?: readonly [app: string, allowed: number][];
  readonly pod?: Pod;
  readonly node: string;
}

const TWO = [makeNode('a', { cpu: '2' }), makeNode('b', { cpu: '2' })];

// Upstream's order of criteria, one row each.
const ROWS: readonly Row[] = [
  {
    name: 'only where somebody is less important',
    placed: [
      [running('x', 200), 'a'],
      [running('y', 1), 'b'],
    ],
    node: 'b',
  },
  {
    name: 'fewer violated budgets come before everything',
    placed: [
      [running('x', 1, { app: 'guarded' }), 'a'],
      [running('y', 50), 'b'],
    ],
    budgets: [['guarded', 0]],
    node: 'b',
  },
  {
    name: 'a budget that allows the disruption does not count',
    placed: [
      [running('x', 1, { app: 'guarded' }), 'a'],
      [running('y', 50), 'b'],
    ],
    budgets: [['guarded', 1]],
    node: 'a',
  },
  {
    name: 'the less important top victim',
    placed: [
      [running('x', 20), 'a'],
      [running('y', 10), 'b'],
    ],
    node: 'b',
  },
  {
    name: 'the lower sum of priorities: more victims weigh more',
    placed: [
      [running('x1', 10, { cpu: '1' }), 'a'],
      [running('x2', 10, { cpu: '1' }), 'a'],
      [running('y', 10), 'b'],
    ],
    node: 'b',
  },
  {
    name: 'who started last goes first',
    placed: [
      [running('x', 10, { started: '2026-01-01T00:00:00Z' }), 'a'],
      [running('y', 10, { started: '2026-01-02T00:00:00Z' }), 'b'],
    ],
    node: 'b',
  },
];

for (const row of ROWS) {
  test(`candidates: ${row.name}`, () => {
    const scene = new Scene().nodes(...(row.nodes ?? TWO));
    for (const [pod, node] of row.placed) scene.placed(pod, node);
    for (const [app, allowed] of row.budgets ?? []) scene.object(POD_DISRUPTION_BUDGETS, budget(app, allowed));
    assert.equal(scene.postFilter(row.pod ?? urgent())?.nominatedNode, row.node);
  });
}

const REFUSED: readonly { name: string; placed: readonly [Pod, string][]; pod: Pod; message: string }[] = [
  {
    name: 'nobody is less important',
    placed: [
      [running('x', 100), 'a'],
      [running('y', 100), 'b'],
    ],
    pod: urgent(),
    message: 'preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.',
  },
  {
    name: 'the pod is larger than the nodes',
    placed: [[running('x', 1), 'a']],
    pod: urgent({ cpu: '64' }),
    message: 'preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
  },
  {
    name: 'the pod never preempts',
    placed: [
      [running('x', 1), 'a'],
      [running('y', 1), 'b'],
    ],
    pod: urgent({ preemptionPolicy: 'Never' }),
    message: 'preemption: not eligible due to preemptionPolicy=Never.',
  },
  {
    name: 'without the less important ones it still does not fit',
    placed: [
      [running('x', 200, { cpu: '1' }), 'a'],
      [running('y', 1, { cpu: '1' }), 'a'],
      [running('z', 200), 'b'],
    ],
    pod: urgent(),
    message: 'preemption: 0/2 nodes are available: 1 Insufficient cpu, 1 No preemption victims found for incoming pod.',
  },
];

for (const row of REFUSED) {
  test(`no candidate: ${row.name}`, () => {
    const scene = new Scene().nodes(...TWO);
    for (const [pod, node] of row.placed) scene.placed(pod, node);
    assert.equal(scene.postFilter(row.pod)?.message, row.message);
  });
}

test('only as many victims as needed go, the least important first', () => {
  const scene = new Scene().nodes(makeNode('a', { cpu: '4' }));
  for (const [i, priority] of [30, 10, 20, 40].entries()) scene.placed(running(`v${i}`, priority, { cpu: '1' }), 'a');
  assert.equal(scene.postFilter(urgent())?.nominatedNode, 'a');
  const deleted = scene.wire.calls.filter((c) => c.verb === 'patch').map((c) => c.name);
  assert.deepEqual(deleted.sort(), ['v1', 'v2']);
});

test('anti-affinity of victims counts: they are gone in the simulation', () => {
  const far = {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: 'urgent' } }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  };
  const scene = new Scene().nodes(makeNode('a', { cpu: '8' }));
  scene.placed(makePod('hermit', { priority: 1, affinity: far }), 'a');
  const pod = urgent({ labels: { app: 'urgent' } });
  assert.equal(scene.postFilter(pod)?.nominatedNode, 'a');
  assert.equal(scene.decide(pod).message?.includes("didn't satisfy existing pods anti-affinity rules"), true);
});

test('a simulation leaves no trace', () => {
  const scene = new Scene()
    .nodes(...TWO)
    .placed(running('x', 1), 'a')
    .placed(running('y', 1), 'b');
  const probe = makePod('probe', { cpu: '100m' });
  const before = scene.decide(probe);
  scene.postFilter(urgent());
  assert.deepEqual(scene.decide(probe).explanation, before.explanation);
});

test('others keep out of the room that was made for a pod, unless they are more important', () => {
  const scene = new Scene().nodes(makeNode('a', { cpu: '2' }));
  scene.state.nominate(demandOf(urgent()), 'a');
  assert.equal(scene.decide(makePod('meek', { cpu: '1', priority: 1 })).node, undefined);
  assert.equal(scene.decide(makePod('equal', { cpu: '1', priority: 100 })).node, undefined);
  assert.equal(scene.decide(makePod('bold', { cpu: '1', priority: 101 })).node, 'a');
  assert.equal(scene.decide(urgent()).node, 'a');
});

test('a pod takes the node that it was promised, also where another is better', () => {
  const scene = new Scene().nodes(makeNode('a', { cpu: '4' }), makeNode('b', { cpu: '64' }));
  scene.state.nominate(demandOf(urgent()), 'a');
  assert.equal(scene.decide(urgent()).node, 'a');
});

const withDisk = (pod: Pod): Pod => ({
  ...pod,
  spec: { ...pod.spec, volumes: [{ name: 'd', gcePersistentDisk: { pdName: 'disk' } }] },
});
const withClaim = (pod: Pod, claimName: string): Pod => ({
  ...pod,
  spec: { ...pod.spec, volumes: [{ name: 'd', persistentVolumeClaim: { claimName } }] },
});

/** Node `a` takes one volume of a driver, of which claims `x` and `y` have one each. */
function oneVolume(): Scene {
  const driver = 'csi.example.com';
  const scene = new Scene().nodes(makeNode('a'));
  scene.object(CSI_NODES, {
    metadata: { name: 'a' },
    spec: { drivers: [{ name: driver, nodeID: 'a', topologyKeys: [], allocatable: { count: 1 } }] },
  });
  for (const name of ['x', 'y']) {
    scene.object(VOLUMES, { metadata: { name }, spec: { csi: { driver, volumeHandle: name } } });
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
    scene.object(CLAIMS, { metadata: { name, namespace: 'default', annotations }, spec: { volumeName: name } });
  }
  return scene;
}

const VOLUME_ROWS: readonly { name: string; scene: Scene; there: Pod; pod: Pod; node: string }[] = [
  {
    name: 'a disk that a less important pod has',
    scene: new Scene().nodes(makeNode('a')),
    there: withDisk(running('x', 1, { cpu: '1' })),
    pod: withDisk(urgent({ cpu: '1' })),
    node: 'a',
  },
  {
    name: 'a disk that a more important pod has',
    scene: new Scene().nodes(makeNode('a')),
    there: withDisk(running('x', 1_000, { cpu: '1' })),
    pod: withDisk(urgent({ cpu: '1' })),
    node: '',
  },
  {
    name: 'the last place for a volume',
    scene: oneVolume(),
    there: withClaim(running('x', 1, { cpu: '1' }), 'x'),
    pod: withClaim(urgent({ cpu: '1' }), 'y'),
    node: 'a',
  },
];

for (const row of VOLUME_ROWS) {
  test(`room of volumes: ${row.name}`, () => {
    const scene = row.scene.placed(row.there, 'a');
    const before = scene.state.podsOn(0);
    assert.equal(scene.postFilter(row.pod)?.nominatedNode, row.node);
    assert.deepEqual(scene.state.podsOn(0), before, 'a trial leaves nothing behind');
  });
}
