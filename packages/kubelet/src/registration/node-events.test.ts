import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NodeStatus } from '@binnacle/api/core/v1';
import { conditionEvents, rebootEvents, scheduleEvents } from './node-events.ts';

const status = (conditions: { readonly [type: string]: 'True' | 'False' | 'Unknown' }): NodeStatus => ({
  conditions: Object.entries(conditions).map(([type, value]) => ({ type, status: value })),
});
const WELL = status({ MemoryPressure: 'False', DiskPressure: 'False', PIDPressure: 'False', Ready: 'True' });

describe('what is said of conditions', () => {
  const rows: readonly [string, NodeStatus | undefined, NodeStatus, readonly string[]][] = [
    [
      'all of them at first',
      undefined,
      WELL,
      ['NodeHasSufficientMemory', 'NodeHasNoDiskPressure', 'NodeHasSufficientPID', 'NodeReady'],
    ],
    ['nothing where nothing changed', WELL, WELL, []],
    ['pressure that came', WELL, status({ DiskPressure: 'True' }), ['NodeHasDiskPressure']],
    [
      'pressure that went',
      status({ MemoryPressure: 'True' }),
      status({ MemoryPressure: 'False' }),
      ['NodeHasSufficientMemory'],
    ],
    ['no longer ready', WELL, status({ Ready: 'False' }), ['NodeNotReady']],
    ['nothing of what cannot be measured', WELL, status({ PIDPressure: 'Unknown' }), []],
    ['nothing of conditions that others keep', undefined, status({ NetworkUnavailable: 'False' }), []],
  ];
  for (const [name, before, after, expected] of rows) {
    test(name, () => {
      const events = conditionEvents('n', before, after);
      assert.deepEqual(
        events.map(({ reason }) => reason),
        expected,
      );
      for (const { message, reason } of events) assert.equal(message, `Node n status is now: ${reason}`);
    });
  }
});

test('a node that is cordoned and uncordoned', () => {
  const on = { spec: {}, metadata: { name: 'n' } };
  const off = { spec: { unschedulable: true }, metadata: { name: 'n' } };
  const reasons = [
    [undefined, on],
    [undefined, off],
    [on, off],
    [off, on],
    [off, off],
  ].map(([before, after]) => scheduleEvents('n', before, after ?? on).map(({ reason }) => reason));
  assert.deepEqual(reasons, [[], ['NodeNotSchedulable'], ['NodeNotSchedulable'], ['NodeSchedulable'], []]);
});

test('a machine that was started anew says so once the API has its last boot', () => {
  const nodeInfo = { bootID: 'a' } as NonNullable<NodeStatus['nodeInfo']>;
  assert.deepEqual(rebootEvents('n', undefined, 'a'), []);
  assert.deepEqual(rebootEvents('n', { nodeInfo }, 'a'), []);
  assert.deepEqual(rebootEvents('n', { nodeInfo }, 'b'), [
    { type: 'Warning', reason: 'Rebooted', message: 'Node n has been rebooted, boot id: b' },
  ]);
});
