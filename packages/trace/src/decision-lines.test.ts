import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HopDetail } from '@binnacle/base';
import { decisionLines, decisionOf, INCOMPLETE, TOO_LARGE, refusalLines } from './decision-lines.ts';

const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `n${at}`);

const ROWS: readonly (readonly [name: string, detail: HopDetail, lines: readonly string[]])[] = [
  ['of nothing', {}, []],
  [
    'filters, with the reasons and the nodes that fell',
    { refused: [{ plugin: 'NodeName', reasons: ['no', 'not'], nodes: 2, names: ['n1', 'n2'] }], isComplete: true },
    ['NodeName refused 2 nodes (no, not): n1, n2'],
  ],
  [
    'one node of many is one',
    { refused: [{ plugin: 'P', reasons: ['r'], nodes: 1, names: [] }] },
    ['P refused 1 node (r)'],
  ],
  [
    'ten nodes are named, the rest is counted',
    { refused: [{ plugin: 'P', reasons: [], nodes: 11, names: names(11) }] },
    [`P refused 11 nodes (): ${names(10).join(', ')}, …`],
  ],
  [
    'scores of the best, by plugin',
    { scored: names(7).map((node) => ({ node, total: 5.555, by: { Fit: 5, Spread: 0.555 } })) },
    [...names(5).map((node) => `${node} has 5.56 points = Fit 5 + Spread 0.56`), 'and 2 more nodes with fewer points'],
  ],
  ['what is not for the viewer', { isComplete: false, scored: [], refused: [] }, [INCOMPLETE]],
  ['what was too much to be kept', { tooLarge: true }, [TOO_LARGE]],
  ['what preemption looked at', { preemption: { obstacle: 'never' } }, ['preemption: never']],
  ['where it waits for room', { nominatedNode: 'n1' }, ['waits for room on n1']],
  ['what is no decision', { refused: {}, scored: [null, 5], nominatedNode: {} }, []],
  [
    'odd members of one',
    { refused: [{ plugin: 'P', reasons: 'x', nodes: 'y', names: [{}] }], scored: [{ by: null }] },
    ['P refused NaN nodes ()', 'undefined has NaN points'],
  ],
];
for (const [name, detail, lines] of ROWS) {
  test(`lines of a decision: ${name}`, () => assert.deepEqual(decisionLines(detail), lines));
}

const NONE = { outcome: '', refused: [], scored: [], preemption: [] };
const DECISIONS: readonly (readonly [name: string, detail: HopDetail, decision: object])[] = [
  ['of nothing', {}, NONE],
  ['what was too much to be kept', { tooLarge: true }, { ...NONE, lacks: 'tooLarge' }],
  ['what is not for the viewer', { isComplete: false, node: 'n1' }, { ...NONE, outcome: 'n1', lacks: 'unknown' }],
  ['nowhere', { message: 'no room', node: 7 }, { ...NONE, outcome: 'no room' }],
  ['what is no decision', { refused: 5, scored: [null, []], message: {} }, NONE],
  [
    'odd members of one',
    {
      refused: [{ plugin: {}, reasons: [1, 'r'], nodes: 2 }],
      scored: [{ node: 'n1', total: 3, by: { Fit: 1, x: {} } }],
    },
    {
      outcome: '',
      refused: [{ plugin: '[object Object]', nodes: 2, reasons: ['r'], names: [] }],
      scored: [{ node: 'n1', total: 3, by: { Fit: 1, x: NaN } }],
      preemption: [],
    },
  ],
  [
    'what preemption looked at',
    { message: 'no', preemption: { obstacle: 'never' } },
    { ...NONE, outcome: 'no', preemption: ['preemption: never'] },
  ],
];
for (const [name, detail, decision] of DECISIONS) {
  test(`a decision for a table: ${name}`, () => assert.deepEqual(decisionOf(detail), decision));
}

for (const [name, nominatedNode, lines] of [
  ['on a node', 'n1', ['waits for room on n1']],
  ['nowhere any more', '', []],
  ['of which nothing is said', undefined, []],
  ['what is no name', {}, []],
] as const)
  test(`where it waits for room: ${name}`, () => assert.deepEqual(refusalLines({ nominatedNode }), lines));
