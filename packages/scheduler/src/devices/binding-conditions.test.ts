/** Whether pods may be bound to what their claims have: by conditions of devices, in time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeviceRequestAllocationResult, ResourceClaim } from '@binnacle/api/resource/v1';
import { makeClaim } from '../testing/devices.ts';
import { bindingDeadline, hasBindingConditions, isBindingHopeless, readinessOf } from './binding-conditions.ts';

const NEEDS = { bindingConditions: ['Attached', 'Warm'], bindingFailureConditions: ['Broken'] };
const FAILED = 'device binding failed: claim=c, reason=Fire, message="it \\"burns\\""';

const result = (device: string, more: Partial<DeviceRequestAllocationResult> = {}): DeviceRequestAllocationResult => ({
  request: 'r',
  driver: 'd',
  pool: 'p',
  device,
  ...more,
});
/** `a +Attached -Warm`: what the driver says of device `a`, `a/SHARE` of one share of it. */
function told(line: string) {
  const [where = '', ...words] = line.split(' ');
  const [device = '', shareID] = where.split('/');
  const conditions = words.map((word) => ({
    type: word.slice(1),
    status: word.startsWith('+') ? ('True' as const) : word.startsWith('-') ? ('False' as const) : ('Unknown' as const),
    reason: 'Fire',
    message: 'it "burns"',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }));
  return { driver: 'd', pool: 'p', device, conditions, ...(shareID === undefined ? {} : { shareID }) };
}
const claim = (results: readonly DeviceRequestAllocationResult[], ...lines: readonly string[]): ResourceClaim =>
  makeClaim('c', [], {
    status: {
      allocation: { devices: { results }, allocationTimestamp: '2026-01-01T00:00:00Z' },
      devices: lines.map(told),
    },
  });

const ONE = [result('a', NEEDS)];
const TWO = [result('a', NEEDS), result('b', NEEDS)];
for (const [name, given, expected] of [
  ['no devices yet', makeClaim('c', []), 'ready'],
  ['nothing has to be true', claim([result('a')]), 'ready'],
  ['nobody says anything', claim(ONE), 'waiting'],
  ['some are true', claim(ONE, 'a +Attached'), 'waiting'],
  ['one is false', claim(ONE, 'a +Attached -Warm'), 'waiting'],
  ['one is unknown', claim(ONE, 'a +Attached ?Warm'), 'waiting'],
  ['all are true', claim(ONE, 'a +Attached +Warm -Broken +Painted'), 'ready'],
  ['it will not be', claim(ONE, 'a +Attached +Warm +Broken'), { failed: FAILED }],
  ['whether it will be is unknown', claim(ONE, 'a +Attached +Warm ?Broken'), 'ready'],
  ['what is said of another device', claim(ONE, 'b +Attached +Warm'), 'waiting'],
  ['one of two', claim(TWO, 'b +Attached +Warm'), 'waiting'],
  ['both', claim(TWO, 'b +Attached +Warm', 'a +Warm +Attached'), 'ready'],
  ['nobody speaks of the first, and the second failed', claim(TWO, 'b +Broken'), { failed: FAILED }],
  ['one that needs nothing cannot fail', claim([result('a')], 'a +Broken'), 'ready'],
  ['of its own share', claim([result('a', { ...NEEDS, shareID: 's' })], 'a/s +Attached +Warm'), 'ready'],
  ['of another share', claim([result('a', { ...NEEDS, shareID: 's' })], 'a/t +Attached +Warm'), 'waiting'],
] as const)
  test(`devices are ready: ${name}`, () => assert.deepEqual(readinessOf(given), expected));

test('how long a claim has counts from its allocation, and only where somebody waits for something', () => {
  const start = Date.parse('2026-01-01T00:00:00Z');
  assert.equal(bindingDeadline(claim(ONE), 600_000), start + 600_000);
  assert.equal(bindingDeadline(claim([result('a')]), 600_000), undefined);
  assert.equal(bindingDeadline(makeClaim('c', []), 600_000), undefined);
  assert.deepEqual([claim(ONE), claim([result('a')])].map(hasBindingConditions), [true, false]);
  for (const [given, after, hopeless] of [
    [claim(ONE), 599_999, false],
    [claim(ONE), 600_000, true],
    [claim(ONE, 'a +Attached +Warm'), 900_000, false],
    [claim(ONE, 'a +Broken'), 1, true],
    [claim([result('a')]), 900_000, false],
    [makeClaim('c', []), 900_000, false],
  ] as const) {
    assert.equal(isBindingHopeless(given, start + after, 600_000), hopeless);
  }
});
