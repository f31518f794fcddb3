import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeNode } from '../testing/objects.ts';
import { availability, countRefusals, fitMessage } from './evidence.ts';
import type { Evidence } from './evidence.ts';
import type { Refusal } from './framework.ts';
import { NodeColumns } from './node-columns.ts';

const refusal = (...reasons: readonly string[]): Refusal => ({ plugin: 'P', reasons, unresolvable: false });
const CPU = refusal('Insufficient cpu');
const BOTH = refusal('Insufficient cpu', 'Insufficient memory');

function evidence(verdict: readonly number[], gone: readonly string[] = []): Evidence {
  const nodes = new NodeColumns();
  for (const at of verdict.keys()) nodes.setNode(makeNode(`n${at}`));
  for (const name of gone) nodes.removeNode(name);
  return { nodes, verdict: Uint16Array.from(verdict), table: [undefined, CPU, BOTH], count: 0, columns: [] };
}

const ROWS: readonly [name: string, evidence: Evidence, counts: readonly [Refusal, number][], message: string][] = [
  ['no nodes', evidence([]), [], '0/0 nodes are available:'],
  ['all passed', evidence([0, 0]), [], '0/2 nodes are available:'],
  ['some refused', evidence([1, 0, 1]), [[CPU, 2]], '0/3 nodes are available: 2 Insufficient cpu.'],
  [
    'a reason is counted over all who gave it',
    evidence([1, 2, 1]),
    [
      [CPU, 2],
      [BOTH, 1],
    ],
    '0/3 nodes are available: 1 Insufficient memory, 3 Insufficient cpu.',
  ],
  [
    'a node that is gone is not counted',
    evidence([1, 1], ['n0']),
    [[CPU, 1]],
    '0/1 nodes are available: 1 Insufficient cpu.',
  ],
  ['a number that nobody gave', evidence([9]), [], '0/1 nodes are available:'],
];
for (const [name, given, counts, message] of ROWS)
  test(`refusals: ${name}`, () => {
    assert.deepEqual([...countRefusals(given)], counts);
    assert.equal(fitMessage(given), message);
  });

test('reasons stand in the order of their text, as upstream has them', () => {
  const reasons = new Map([
    ['b', 2],
    ['a', 10],
  ]);
  assert.equal(availability(12, reasons), '0/12 nodes are available: 10 a, 2 b.');
});
