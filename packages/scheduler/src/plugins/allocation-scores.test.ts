import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ClusterState } from '../plan/cluster-state.ts';
import { demandOf } from '../plan/demand.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { allocationScore, askedOf, brokenLine } from './allocation-scores.ts';
import type { ScoringStrategy, ShapePoint, WeightedResource } from './allocation-scores.ts';

const BOTH: readonly WeightedResource[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];
const MORE_CPU: readonly WeightedResource[] = [
  { name: 'cpu', weight: 3 },
  { name: 'memory', weight: 1 },
];
const GPUS: readonly WeightedResource[] = [{ name: 'x.io/gpu', weight: 1 }];
const RISING: readonly ShapePoint[] = [
  { utilization: 0, score: 0 },
  { utilization: 100, score: 10 },
];
const FALLING: readonly ShapePoint[] = [
  { utilization: 0, score: 10 },
  { utilization: 100, score: 0 },
];
const least = (resources = BOTH): ScoringStrategy => ({ type: 'LeastAllocated', resources });
const most = (resources = BOTH): ScoringStrategy => ({ type: 'MostAllocated', resources });
const ratio = (shape: readonly ShapePoint[], resources = BOTH): ScoringStrategy => ({
  type: 'RequestedToCapacityRatio',
  resources,
  shape,
});

type Asked = Parameters<typeof makePod>[1];

/** Of a node with 4 CPUs, 8Gi, 4 GPUs and what is there already. */
const rows: readonly {
  readonly name: string;
  readonly strategy: ScoringStrategy;
  readonly asked: Asked;
  readonly there?: Asked;
  readonly score: number;
}[] = [
  { name: 'a quarter of each, the emptiest', strategy: least(), asked: { cpu: '1', memory: '2Gi' }, score: 75 },
  { name: 'a quarter of each, the fullest', strategy: most(), asked: { cpu: '1', memory: '2Gi' }, score: 25 },
  {
    name: 'beside what is there, the emptiest',
    strategy: least(),
    there: { cpu: '1', memory: '2Gi' },
    asked: { cpu: '1', memory: '2Gi' },
    score: 50,
  },
  {
    name: 'beside what is there, the fullest',
    strategy: most(),
    there: { cpu: '1', memory: '2Gi' },
    asked: { cpu: '2', memory: '4Gi' },
    score: 75,
  },
  { name: 'by weight, the emptiest', strategy: least(MORE_CPU), asked: { cpu: '1', memory: '4Gi' }, score: 68 },
  { name: 'by weight, the fullest', strategy: most(MORE_CPU), asked: { cpu: '1', memory: '4Gi' }, score: 31 },
  { name: 'more than there is, the emptiest', strategy: least(), asked: { cpu: '8', memory: '2Gi' }, score: 37 },
  {
    name: 'more than there is, the emptiest by weight',
    strategy: least(MORE_CPU),
    asked: { cpu: '8', memory: '2Gi' },
    score: 18,
  },
  { name: 'more than there is, the fullest', strategy: most(), asked: { cpu: '8', memory: '2Gi' }, score: 62 },
  { name: 'stand-ins for what containers leave open, the emptiest', strategy: least(), asked: {}, score: 97 },
  { name: 'stand-ins for what containers leave open, the fullest', strategy: most(), asked: {}, score: 2 },
  {
    name: 'an extended resource, among others that the pod asks for',
    strategy: most(GPUS),
    asked: { resources: { 'y.io/fpga': '3', 'x.io/gpu': '1' } },
    score: 25,
  },
  {
    name: 'an extended resource that others use',
    strategy: least(GPUS),
    there: { resources: { 'x.io/gpu': '2' } },
    asked: { resources: { 'x.io/gpu': '1' } },
    score: 25,
  },
  { name: 'an extended resource that it does not ask for', strategy: least(GPUS), asked: { cpu: '1' }, score: 0 },
  {
    name: 'an extended resource that it does not ask for counts for nothing',
    strategy: most([...GPUS, { name: 'cpu', weight: 1 }]),
    asked: { cpu: '2' },
    score: 50,
  },
  {
    name: 'one that the node has not',
    strategy: most([{ name: 'z.io/none', weight: 1 }]),
    asked: { resources: { 'z.io/none': '1' } },
    score: 0,
  },
  {
    name: 'storage that it does not ask for counts as free',
    strategy: least([{ name: 'ephemeral-storage', weight: 1 }]),
    asked: {},
    score: 100,
  },
  { name: 'along a rising line', strategy: ratio(RISING), asked: { cpu: '1', memory: '2Gi' }, score: 25 },
  { name: 'rounded to the nearest', strategy: ratio(RISING), asked: { cpu: '1', memory: '4Gi' }, score: 38 },
  { name: 'by weight along a line', strategy: ratio(RISING, MORE_CPU), asked: { cpu: '2', memory: '2Gi' }, score: 44 },
  { name: 'more than there is, along a line', strategy: ratio(RISING), asked: { cpu: '9', memory: '8Gi' }, score: 100 },
  { name: 'what has no score has no weight', strategy: ratio(FALLING), asked: { cpu: '4', memory: '2Gi' }, score: 75 },
  { name: 'nothing has a score', strategy: ratio(FALLING), asked: { cpu: '4', memory: '8Gi' }, score: 0 },
];

describe('how much of a node is taken', () => {
  for (const { name, strategy, asked, there, score } of rows) {
    test(name, () => {
      const state = new ClusterState();
      const resources = { 'x.io/gpu': '4', 'y.io/fpga': '4', 'ephemeral-storage': '100' };
      state.setNode(makeNode('n', { cpu: '4', memory: '8Gi', resources }));
      if (there !== undefined) state.assume(demandOf(makePod('there', there)), 'n');
      const slot = state.nodes.slotOf('n') ?? -1;
      assert.equal(allocationScore(demandOf(makePod('p', asked)), { nodes: state.nodes }, strategy)(slot), score);
    });
  }
});

describe('a broken line', () => {
  const hill: readonly ShapePoint[] = [
    { utilization: 20, score: 5 },
    { utilization: 50, score: 80 },
    { utilization: 100, score: 20 },
  ];
  const values: readonly (readonly [at: number, value: number])[] = [
    [0, 5],
    [20, 5],
    [21, 7],
    [50, 80],
    [51, 79],
    [75, 50],
    [100, 20],
    [120, 20],
  ];
  for (const [at, value] of values) test(`at ${at}`, () => assert.equal(brokenLine(hill, at), value));
  test('of no points', () => assert.equal(brokenLine([], 50), 0));
});

describe('what a pod asks of a resource', () => {
  const resources = { 'ephemeral-storage': '1Gi', 'x.io/gpu': '2', 'hugepages-2Mi': '4Mi' };
  const demand = demandOf(makePod('p', { cpu: '1500m', memory: '1Gi', resources }));
  const asked: readonly (readonly [name: string, amount: number])[] = [
    ['cpu', 1500],
    ['memory', 2 ** 30],
    ['ephemeral-storage', 2 ** 30],
    ['x.io/gpu', 2],
    ['hugepages-2Mi', 4 * 2 ** 20],
    ['x.io/other', 0],
    ['constructor', 0],
    ['', 0],
  ];
  for (const [name, amount] of asked) test(name, () => assert.equal(askedOf(demand, name), amount));
  test('of a pod that asks for nothing', () => assert.equal(askedOf(demandOf(makePod('p')), 'cpu'), 0));
});
