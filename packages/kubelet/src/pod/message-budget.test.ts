import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPod } from '../testing/node.ts';
import { shown } from '../testing/seen.ts';
import { withinBudget } from './message-budget.ts';

const rows: readonly [string, number, string, number][] = [
  ['one has it all', 1, 'x'.repeat(4096), 4096],
  ['of sixty each has little', 60, 'x'.repeat(4096), 204],
  ['no character is cut in two', 60, 'é'.repeat(200), 102],
  ['nor a longer one', 60, `x${'🚢'.repeat(100)}`, 1 + 50 * 2],
  ['what is short stays', 60, 'done', 4],
];

for (const [name, count, message, length] of rows) {
  test(`last words of ${count}: ${name}`, () => {
    const containers = Array.from({ length: count }, (_, i) => ({ name: `c${i}` }));
    const state = { terminated: { exitCode: 1, message } };
    const given = [shown('c0', { state, lastState: state })];
    const { containerStatuses: [cut] = [] } = withinBudget(testPod({ spec: { containers } }), {
      containerStatuses: given,
    });
    const kept = [cut?.state?.terminated?.message, cut?.lastState?.terminated?.message];
    assert.deepEqual(kept, [message.slice(0, length), message.slice(0, length)]);
  });
}
