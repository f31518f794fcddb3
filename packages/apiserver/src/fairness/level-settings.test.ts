import type { PriorityLevelConfigurationSpec } from '@binnacle/api/flowcontrol/v1';
import assert from 'node:assert/strict';
import test from 'node:test';
import { limitsOf, readLevel } from './level-settings.ts';

const QUEUING = { queues: 64, handSize: 6, queueLengthLimit: 50 };
const ROWS: readonly (readonly [
  name: string,
  level: string,
  spec: PriorityLevelConfigurationSpec,
  kind: string | undefined,
])[] = [
  [
    'limited and queuing',
    'a',
    { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: QUEUING } } },
    'queue',
  ],
  ['limited and rejecting', 'a', { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } }, 'reject'],
  ['exempt', 'exempt', { type: 'Exempt', exempt: {} }, 'exempt'],
  ['exempt by another name', 'a', { type: 'Exempt', exempt: {} }, undefined],
  ['limited by the name of the exempt', 'exempt', { type: 'Limited', limited: {} }, undefined],
  ['both', 'a', { type: 'Limited', limited: {}, exempt: {} }, undefined],
  ['neither', 'a', { type: 'Limited' }, undefined],
  [
    'rejecting with queues',
    'a',
    { type: 'Limited', limited: { limitResponse: { type: 'Reject', queuing: QUEUING } } },
    undefined,
  ],
  ['queuing without', 'a', { type: 'Limited', limited: { limitResponse: { type: 'Queue' } } }, undefined],
];

for (const [name, level, spec, kind] of ROWS) {
  test(name, () => assert.equal(readLevel({ metadata: { name: level }, spec })?.shape.kind, kind));
}

test('no shares at all are no seats', () => {
  const settings = readLevel({
    metadata: { name: 'a' },
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 0 } },
  });
  assert.ok(settings !== undefined);
  assert.equal(limitsOf(settings, { seats: 600, shares: 0 }).nominal, 0);
});
