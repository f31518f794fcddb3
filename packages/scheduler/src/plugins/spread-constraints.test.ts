import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, TopologySpreadConstraint } from '@binnacle/api/core/v1';
import { matchesLabels, selectorFromObject } from '@binnacle/machinery';
import { ClusterState } from '../plan/cluster-state.ts';
import { demandOf } from '../plan/demand.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { readConstraint, spreadTally } from './spread-constraints.ts';

const ZONE = 'topology.kubernetes.io/zone';
const given = (more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: ZONE,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'web' } },
  ...more,
});
const web = makePod('p', { labels: { app: 'web', version: '1' } });

test('a constraint with what it leaves open', () => {
  const { selector, ...rest } = readConstraint(web, given());
  assert.deepEqual(rest, { maxSkew: 1, topologyKey: ZONE, minDomains: 1, honorsAffinity: true, honorsTaints: false });
  assert.equal(matchesLabels(selector, { app: 'web' }), true);
});
for (const [name, more, expected] of [
  [
    'all said',
    { maxSkew: 3, minDomains: 2, nodeAffinityPolicy: 'Ignore', nodeTaintsPolicy: 'Honor' },
    [3, 2, false, true],
  ],
  [
    'all said as it is anyway',
    { minDomains: 1, nodeAffinityPolicy: 'Honor', nodeTaintsPolicy: 'Ignore' },
    [1, 1, true, false],
  ],
] as const)
  test(`a constraint: ${name}`, () => {
    const { maxSkew, minDomains, honorsAffinity, honorsTaints } = readConstraint(web, given(more));
    assert.deepEqual([maxSkew, minDomains, honorsAffinity, honorsTaints], expected);
  });
for (const [name, more, labels, expected] of [
  ['labels by their keys', { matchLabelKeys: ['version'] }, { app: 'web', version: '1' }, true],
  ['another value', { matchLabelKeys: ['version'] }, { app: 'web', version: '2' }, false],
  ['a key that the pod has not', { matchLabelKeys: ['constructor'] }, { app: 'web' }, true],
] as const)
  test(`whom a constraint counts: ${name}`, () =>
    assert.equal(matchesLabels(readConstraint(web, given(more)).selector, labels), expected));

/** Two zones of two nodes and a node without one; `b2` is tainted, `a2` is slow. */
const NODES = [
  makeNode('a1', { labels: { [ZONE]: 'a', disk: 'fast' } }),
  makeNode('a2', { labels: { [ZONE]: 'a' } }),
  makeNode('b1', { labels: { [ZONE]: 'b', disk: 'fast' } }),
  makeNode('b2', { labels: { [ZONE]: 'b', disk: 'fast' }, taints: [{ key: 'k', effect: 'NoSchedule' }] }),
  makeNode('none', { labels: { disk: 'fast' } }),
];
const placed = (name: string, labels: Record<string, string> = { app: 'web' }, namespace = 'default'): Pod =>
  makePod(name, { labels, namespace });
const going: Pod = { ...placed('g'), metadata: { ...placed('g').metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };

interface Row {
  readonly name: string;
  readonly pods: readonly [pod: Pod, node: string][];
  readonly constraint?: Partial<TopologySpreadConstraint>;
  readonly pod?: Pod;
  readonly needsAllKeys?: boolean;
  readonly byNode?: string;
  /** Pods by domain, with how many nodes the domain has. */
  readonly counted: string;
}
const picky = makePod('p', { labels: { app: 'web' }, nodeSelector: { disk: 'fast' } });
const tolerant = makePod('p', { labels: { app: 'web' }, tolerations: [{ operator: 'Exists' }] });
const EACH: Row['pods'] = ['a1', 'a2', 'b1', 'b2', 'none'].map((node) => [placed(`on-${node}`), node]);
const ROWS: readonly Row[] = [
  { name: 'nobody', pods: [], counted: 'a 0/2, b 0/2' },
  { name: 'by zone', pods: EACH, counted: 'a 2/2, b 2/2' },
  {
    name: 'others do not count',
    pods: [
      [placed('x', { app: 'db' }), 'a1'],
      [placed('y', {}), 'b1'],
    ],
    counted: 'a 0/2, b 0/2',
  },
  { name: 'of another namespace', pods: [[placed('x', { app: 'web' }, 'other'), 'a1']], counted: 'a 0/2, b 0/2' },
  { name: 'on their way out', pods: [[going, 'a1']], counted: 'a 0/2, b 0/2' },
  { name: 'only nodes where it may be', pods: EACH, pod: picky, counted: 'a 1/1, b 2/2' },
  {
    name: 'every node, wherever it may be',
    pods: EACH,
    pod: picky,
    constraint: { nodeAffinityPolicy: 'Ignore' },
    counted: 'a 2/2, b 2/2',
  },
  {
    name: 'only nodes whose taints it bears',
    pods: EACH,
    constraint: { nodeTaintsPolicy: 'Honor' },
    counted: 'a 2/2, b 1/1',
  },
  {
    name: 'it bears all taints',
    pods: EACH,
    pod: tolerant,
    constraint: { nodeTaintsPolicy: 'Honor' },
    counted: 'a 2/2, b 2/2',
  },
  { name: 'an empty selector counts none', pods: EACH, constraint: { labelSelector: {} }, counted: 'a 0/2, b 0/2' },
  {
    name: 'no selector counts none',
    pods: EACH,
    constraint: { labelSelector: undefined as never },
    counted: 'a 0/2, b 0/2',
  },
];
for (const { name, pods, constraint, pod = web, counted } of ROWS)
  test(`pods by domain: ${name}`, () => {
    const state = new ClusterState();
    for (const node of NODES) state.setNode(node);
    for (const [one, node] of pods) state.assume(demandOf(one), node);
    const constraints = [readConstraint(pod, given(constraint))];
    const [column] = spreadTally(state, { demand: demandOf(pod), constraints, needsAllKeys: true }).columns;
    const told = ['a', 'b'].map((zone) => {
      const domain = column?.topology.domainWith(zone) ?? -1;
      return `${zone} ${column?.sums[domain]}/${column?.members[domain]}`;
    });
    assert.equal(told.join(', '), counted);
  });

test('pods by node, of nodes without the key of another constraint too', () => {
  const state = new ClusterState();
  for (const node of NODES) state.setNode(node);
  for (const [one, node] of EACH) state.assume(demandOf(one), node);
  const hostname = 'kubernetes.io/hostname';
  const constraints = [given(), given({ topologyKey: hostname })].map((one) => readConstraint(web, one));
  const count = { demand: demandOf(web), constraints, needsAllKeys: true, byNode: hostname };
  const [zones, nodes] = spreadTally(state, count).columns;
  assert.deepEqual([zones?.total, nodes?.total], [4, 5]);
  const strict = spreadTally(state, { demand: demandOf(web), constraints, needsAllKeys: true }).columns;
  assert.deepEqual([strict[0]?.total, strict[1]?.total], [4, 4], 'not counted by node, a node needs every key');
});

test('a selector of the pod’s owners stands in the place of its own', () => {
  const selector = selectorFromObject({ matchLabels: { app: 'db' } });
  assert.equal(matchesLabels(readConstraint(web, given(), selector).selector, { app: 'web' }), false);
});
