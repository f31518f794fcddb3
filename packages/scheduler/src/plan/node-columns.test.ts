/** What pods of anybody's name costs the scheduler: columns follow what there is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';

const asking = (resource: string) => ({
  containers: [{ name: 'c', image: 'x', resources: { requests: { [resource]: '1' } } }],
});

test('resources that no node has cost no column, whether pods wait for them or were put on a node', () => {
  const scene = new Scene().nodes(makeNode('n', { resources: { 'example.com/real': '2' } }));
  const { nodes } = scene.state;
  const before = nodes.allocatable.length;
  for (let i = 0; i < 1_000; i++) {
    const resource = `example.com/r${i}`;
    const { node, message } = scene.decide(makePod('p', asking(resource)));
    assert.equal(node, undefined);
    assert.match(message ?? '', new RegExp(`Insufficient ${resource}`));
    const pod = makePod(`bound-${i}`, asking(resource));
    scene.placed(pod, 'n');
    scene.state.release(pod.metadata.uid ?? '');
  }
  assert.ok(nodes.allocatable.length <= before + 1, String(nodes.allocatable.length));
  assert.equal(scene.decide(makePod('p', asking('example.com/real'))).node, 'n');
});

test('a resource is counted whoever comes first, the pod that takes it or the node that has it', () => {
  const scene = new Scene().nodes(makeNode('n'));
  scene.placed(makePod('early', asking('example.com/late')), 'n');
  scene.nodes(makeNode('n', { resources: { 'example.com/late': '1' } }));
  assert.equal(scene.decide(makePod('p', asking('example.com/late'))).node, undefined);
  scene.state.release('pod-early');
  assert.equal(scene.decide(makePod('p', asking('example.com/late'))).node, 'n');
  scene.nodes(makeNode('n'), makeNode('m', { resources: { 'example.com/other': '1' } }));
  assert.equal(scene.decide(makePod('p', asking('example.com/late'))).node, undefined);
  assert.equal(scene.decide(makePod('p', asking('example.com/other'))).node, 'm');
});

test('topology keys that nobody asks about any more are forgotten; a kept count follows the nodes all the same', () => {
  const zoned = (name: string, zone: string) => makeNode(name, { labels: { zone } });
  const scene = new Scene().nodes(zoned('a', 'one'), zoned('b', 'two'), zoned('c', 'one'));
  const { nodes } = scene.state;
  const spread = (key: string) => ({
    labels: { app: 'web' },
    topologySpreadConstraints: [
      {
        topologyKey: key,
        maxSkew: 1,
        whenUnsatisfiable: 'DoNotSchedule' as const,
        labelSelector: { matchLabels: { app: 'web' } },
      },
    ],
  });
  scene.placed(makePod('first', spread('zone')), 'a');
  assert.equal(scene.decide(makePod('second', spread('zone'))).node, 'b');
  const [zone, rare] = [nodes.topology('zone'), nodes.topology('rare')];
  for (let i = 0; i < 5_000; i++) {
    nodes.topology(`key-${i}`);
    if (i % 100 === 0) assert.equal(nodes.topology('zone'), zone);
  }
  assert.notEqual(nodes.topology('rare'), rare);
  for (let i = 0; i < 5_000; i++) nodes.topology(`key-${i}`);
  // The kept count of zones is of a column that follows no node any more.
  scene.nodes(zoned('b', 'one'), zoned('c', 'two'));
  assert.equal(scene.decide(makePod('third', spread('zone'))).node, 'c');
});

test('what a trial wrote down over old changes is not taken for them: who was decided before those is looked at anew', () => {
  const churn = (i: number) => makeNode('churn', { cpu: i % 2 === 0 ? '1' : '2', unschedulable: true });
  const scene = new Scene().nodes(makeNode('a'), makeNode('b'), churn(1));
  for (let i = 0; i < 50; i++) scene.placed(makePod(`low-${i}`, { cpu: '10m', priority: -1 }), 'a');
  const small = makePod('small', { cpu: '1' });
  assert.notEqual(scene.decide(small).node, undefined);
  for (const node of ['a', 'b']) scene.placed(makePod(`big-${node}`, { cpu: '3500m', priority: 10 }), node);
  // So many that the journal still has all of them, but not those of a trial besides.
  for (let i = 0; i < 4_050; i++) scene.nodes(churn(i));
  scene.postFilter(makePod('important', { cpu: '3900m', priority: 5 }));
  assert.equal(scene.decide(small).node, undefined);
});
