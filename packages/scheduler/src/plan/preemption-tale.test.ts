import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PreemptionTale } from './preemption-tale.ts';
import type { PreemptionEvent } from './preemption-tale.ts';

const POD = { namespace: 'default', name: 'p' };

const ROWS: readonly (readonly [
  name: string,
  events: readonly PreemptionEvent[],
  told: readonly (readonly [string, number])[],
])[] = [
  ['none', [], []],
  ['the same again', [{ what: 'waits' }, { what: 'waits' }, { what: 'waits' }], [['waits', 3]]],
  [
    'several victims that could not be ended',
    [
      { what: 'failed', pod: POD },
      { what: 'failed', pod: POD },
    ],
    [['failed', 2]],
  ],
  [
    'numbers of victims are told one by one',
    [
      { what: 'asked', pods: 1 },
      { what: 'asked', pods: 2 },
    ],
    [
      ['asked', 1],
      ['asked', 1],
    ],
  ],
  [
    'with something between',
    [{ what: 'waits' }, { what: 'nowhere' }, { what: 'waits' }],
    [
      ['waits', 1],
      ['nowhere', 1],
      ['waits', 1],
    ],
  ],
];
for (const [name, events, told] of ROWS)
  test(`what became of it: ${name}`, () => {
    const tale = new PreemptionTale({ atMs: 1 });
    for (const [at, event] of events.entries()) tale.note(event, at);
    assert.deepEqual(
      tale.told(() => false).steps.map(({ what, times }) => [what, times]),
      told,
    );
  });

test('the oldest of too many steps goes, those of an earlier look first', () => {
  const tale = new PreemptionTale({ atMs: 1 });
  const earlier = new PreemptionTale({ atMs: 0 });
  for (let at = 0; at < 5; at++) earlier.note({ what: 'placed', node: `e${at}` }, at);
  for (let at = 0; at < 5; at++) tale.note({ what: 'placed', node: `t${at}` }, at);
  tale.follow(earlier);
  const nodes = tale.told(() => false).steps.map((step) => ('node' in step ? step.node : ''));
  assert.deepEqual(nodes, ['e2', 'e3', 'e4', 't0', 't1', 't2', 't3', 't4']);
});

test('texts of others are cut, and what it takes is known before anything became of it', () => {
  const long = 'x'.repeat(10_000);
  const tale = new PreemptionTale({
    ...{ atMs: 1, obstacle: long, extenders: [{ name: long, left: 1, failed: false }] },
    unsuitable: [{ reason: long, nodes: 1, names: [] }],
  });
  const { bytes } = tale;
  const name = 'n'.repeat(253);
  for (let at = 0; at < 20; at++) tale.note({ what: 'withdrawn', pod: { namespace: name.slice(0, 63), name } }, at);
  const told = tale.told(() => true);
  assert.equal(told.obstacle?.length, 256);
  assert.ok(2 * JSON.stringify(told).length < bytes, `${JSON.stringify(told).length} letters in ${bytes} bytes`);
});
