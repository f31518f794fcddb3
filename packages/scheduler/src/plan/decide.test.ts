import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node, Pod } from '@binnacle/api/core/v1';
import fc from 'fast-check';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';
import type { Outcome } from '../testing/scene.ts';

function decideOn(nodes: Node[], placed: [Pod, string][], pod: Pod): Outcome {
  const scene = new Scene().nodes(...nodes);
  for (const [p, node] of placed) scene.placed(p, node);
  return scene.decide(pod);
}

const taint = { key: 'k', value: 'v', effect: 'NoSchedule' } as const;

const refused: { name: string; nodes: Node[]; placed?: [Pod, string][]; pod: Pod; message: string }[] = [
  { name: 'no nodes', nodes: [], pod: makePod('p'), message: 'no nodes available to schedule pods' },
  {
    name: 'each resource that is short counts',
    nodes: [makeNode('a', { cpu: '1', memory: '1Gi' }), makeNode('b', { cpu: '1' })],
    pod: makePod('p', { cpu: '2', memory: '2Gi' }),
    message: '0/2 nodes are available: 1 Insufficient memory, 2 Insufficient cpu.',
  },
  {
    name: 'pods already there use room',
    nodes: [makeNode('a', { cpu: '1' })],
    placed: [[makePod('x', { cpu: '600m' }), 'a']],
    pod: makePod('p', { cpu: '500m' }),
    message: '0/1 nodes are available: 1 Insufficient cpu.',
  },
  {
    name: 'the number of pods is a limit too',
    nodes: [makeNode('a', { pods: '1' })],
    placed: [[makePod('x'), 'a']],
    pod: makePod('p'),
    message: '0/1 nodes are available: 1 Too many pods.',
  },
  {
    name: 'cordoned, tainted, wrong labels',
    nodes: [makeNode('a', { unschedulable: true }), makeNode('b', { taints: [taint] }), makeNode('c')],
    pod: makePod('p', { nodeSelector: { disk: 'ssd' } }),
    message:
      "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.",
  },
  {
    name: 'a host port in use',
    nodes: [makeNode('a')],
    placed: [[makePod('x', { hostPort: 80 }), 'a']],
    pod: makePod('p', { hostPort: 80 }),
    message: "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.",
  },
];

for (const row of refused) {
  test(`refused: ${row.name}`, () => {
    const decision = decideOn(row.nodes, row.placed ?? [], row.pod);
    assert.equal(decision.message, row.message);
  });
}

const placedRows: { name: string; nodes: Node[]; placed?: [Pod, string][]; pod: Pod; node: string }[] = [
  {
    name: 'the emptier node wins',
    nodes: [makeNode('a'), makeNode('b')],
    placed: [[makePod('x', { cpu: '1', memory: '2Gi' }), 'a']],
    pod: makePod('p', { cpu: '100m', memory: '100Mi' }),
    node: 'b',
  },
  {
    name: 'a tolerated taint does not matter',
    nodes: [makeNode('a', { taints: [taint] })],
    pod: makePod('p', { tolerations: [{ key: 'k', operator: 'Exists' }] }),
    node: 'a',
  },
  {
    name: 'PreferNoSchedule is avoided where possible',
    nodes: [makeNode('a', { taints: [{ key: 'k', effect: 'PreferNoSchedule' }] }), makeNode('b')],
    pod: makePod('p'),
    node: 'b',
  },
  {
    name: 'preferred affinity outweighs a little emptiness',
    nodes: [makeNode('a', { labels: { zone: '1' } }), makeNode('b')],
    placed: [[makePod('x', { cpu: '100m', memory: '100Mi' }), 'a']],
    pod: makePod('p', {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 100, preference: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['1'] }] } },
          ],
        },
      },
    }),
    node: 'a',
  },
  {
    name: 'matchFields names the node',
    nodes: [makeNode('a'), makeNode('b'), makeNode('c')],
    pod: makePod('p', {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }],
          },
        },
      },
    }),
    node: 'b',
  },
];

for (const row of placedRows) {
  test(`placed: ${row.name}`, () => {
    const decision = decideOn(row.nodes, row.placed ?? [], row.pod);
    assert.equal(decision.node, row.node);
  });
}

test('equals are chosen with the same chance', () => {
  const scene = new Scene({ seed: 42 }).nodes(...['a', 'b', 'c', 'd'].map((name) => makeNode(name)));
  const counts: Record<string, number> = {};
  for (let i = 0; i < 4000; i++) {
    const { node = '' } = scene.decide(makePod('p', { cpu: '1' }));
    counts[node] = (counts[node] ?? 0) + 1;
  }
  for (const name of ['a', 'b', 'c', 'd'])
    assert.ok(Math.abs((counts[name] ?? 0) - 1000) < 150, `${name}: ${counts[name]}`);
});

test('the second of two equal nodes is empty: the second pod goes there, whatever chance says', () => {
  for (let seed = 0; seed < 100; seed++) {
    for (const size of [
      { cpu: '8', memory: '32Gi' },
      { cpu: '64', memory: '1Ti' },
    ]) {
      const scene = new Scene({ seed }).nodes(...['a', 'b'].map((name) => makeNode(name, size)));
      const first = scene.schedule(makePod('first')).node;
      assert.notEqual(scene.schedule(makePod('second')).node, first, `seed ${seed}`);
    }
  }
});

test('property: same feasible nodes and best score as the plain definition of fit', () => {
  const amount = fc.integer({ min: 0, max: 4000 });
  const scenario = fc.record({
    caps: fc.array(fc.record({ cpu: amount, mem: amount }), { minLength: 1, maxLength: 8 }),
    used: fc.array(fc.record({ cpu: amount, mem: amount, node: fc.nat(7) }), { maxLength: 12 }),
    want: fc.record({ cpu: amount, mem: amount }),
  });
  fc.assert(
    fc.property(scenario, ({ caps, used, want }) => {
      const nodes = caps.map((c, i) => makeNode(`n${i}`, { cpu: `${c.cpu}m`, memory: `${c.mem}Mi` }));
      const on = used.map((u, i): [Pod, string] => [
        makePod(`u${i}`, { cpu: `${u.cpu}m`, memory: `${u.mem}Mi` }),
        `n${u.node % caps.length}`,
      ]);
      const decision = decideOn(nodes, on, makePod('p', { cpu: `${want.cpu}m`, memory: `${want.mem}Mi` }));
      const room = caps.map((c, i) => {
        const mine = used.filter((u) => u.node % caps.length === i);
        const sum = (f: 'cpu' | 'mem'): number => mine.reduce((s, u) => s + u[f], 0);
        const fits = (need: number, cap: number, taken: number): boolean => need === 0 || need <= cap - taken;
        return fits(want.cpu, c.cpu, sum('cpu')) && fits(want.mem, c.mem, sum('mem'));
      });
      const fitting = caps.flatMap((_, i) => (room[i] === true ? [`n${i}`] : []));
      if (fitting.length === 0) return decision.node === undefined;
      const scored = decision.explanation.scored.map((n) => n.node).sort();
      return scored.join() === fitting.sort().join() && fitting.includes(decision.node ?? '');
    }),
    { seed: 36, numRuns: 300 },
  );
});

test('who waits for room is counted in for as long as it waits, and by the less important only', () => {
  const scene = new Scene().nodes(makeNode('a', { cpu: '2' }));
  const place = (priority: number): string | undefined => scene.decide(makePod('p', { cpu: '1', priority })).node;
  const waiting = scene.demand(makePod('w', { cpu: '2', priority: 5 }));
  const places = (): unknown => [place(4), place(5), place(6)];
  assert.deepEqual(places(), ['a', 'a', 'a']);
  scene.state.nominate(waiting, 'a');
  assert.deepEqual(places(), [undefined, undefined, 'a']);
  assert.deepEqual(scene.decide(makePod('p', { cpu: '1', priority: 4 })).refusedBy, ['NodeResourcesFit']);
  scene.nodes(makeNode('b', { cpu: '1' }));
  assert.deepEqual(places(), ['b', 'b', 'a']);
  scene.state.nominate(waiting, 'b');
  assert.deepEqual(places(), ['a', 'a', 'a']);
  assert.deepEqual(scene.state.withdrawNominations('b', 6), [waiting]);
  scene.state.removeNode('a');
  assert.deepEqual(places(), ['b', 'b', 'b']);
});
