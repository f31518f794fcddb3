/** What of a device's capacities a request takes, as upstream rounds it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CapacityRequestPolicy } from '@binnacle/api/resource/v1';
import { formatQuantity, parseQuantity } from '@binnacle/machinery';
import { hasRoom, shareOf } from './capacity.ts';
import { ShareSums } from './share-sums.ts';

const RANGE: CapacityRequestPolicy = { default: '4', validRange: { min: '2', max: '10' } };
const STEPS: CapacityRequestPolicy = { default: '1Gi', validRange: { min: '1Gi', max: '7Gi', step: '2Gi' } };
const VALUES: CapacityRequestPolicy = { default: '2', validValues: ['1', '2', '4'] };

for (const [name, value, policy, asked, expected] of [
  ['nobody says anything: all of it', '8', undefined, undefined, '8'],
  ['no policy: as asked for', '8', undefined, '3', '3'],
  ['no policy: finer than units', '8', undefined, '500m', '500m'],
  ['no policy: nothing', '8', undefined, '0', '0'],
  ['less than nothing', '8', undefined, '-1', undefined],
  ['the default, no more said', '8', { default: '3' }, undefined, '3'],
  ['the default binds nobody who asks', '8', { default: '3' }, '5', '5'],
  ['of a range: the default', '20', RANGE, undefined, '4'],
  ['of a range: as asked for', '20', RANGE, '3', '3'],
  ['of a range: no less than its least', '20', RANGE, '1', '2'],
  ['of a range: its most', '20', RANGE, '10', '10'],
  ['of a range: above its most', '20', RANGE, '11', undefined],
  ['a range without end', '20', { default: '2', validRange: { min: '2' } }, '19', '19'],
  ['in steps: the first', '8Gi', STEPS, '1', '1Gi'],
  ['in steps: the very amount', '8Gi', STEPS, '3Gi', '3Gi'],
  ['in steps: up to the next', '8Gi', STEPS, '3073Mi', '5Gi'],
  ['in steps: what is finer than a unit counts as one', '8Gi', STEPS, '3221225472500m', '5Gi'],
  ['in steps: above the last', '8Gi', STEPS, '7169Mi', undefined],
  ['in steps of decimals: units', '100', { default: '10', validRange: { min: '10', step: '10' } }, '31', '40'],
  ['of values: the default', '8', VALUES, undefined, '2'],
  ['of values: one of them', '8', VALUES, '4', '4'],
  ['of values: up to the next', '8', VALUES, '3', '4'],
  ['of values: above all of them', '8', VALUES, '5', undefined],
  ['of values: nothing is the first', '8', VALUES, '0', '1'],
  ['a policy of nothing', '1', { default: '0', validValues: ['0'] }, undefined, '0'],
  ['a policy of nothing, and something is asked for', '1', { default: '0', validValues: ['0'] }, '1', undefined],
  // Never stored so: no request ends in an error.
  ['a step of nothing', '8', { default: '1', validRange: { min: '1', step: '0' } }, '3', '3'],
  ['a range without a least', '8', { default: '1', validRange: { max: '4' } }, '3', '3'],
] as readonly (readonly [string, string, CapacityRequestPolicy | undefined, string | undefined, string | undefined])[])
  test(`a share of a capacity: ${name}`, () => {
    const capacity = { memory: { value, ...(policy === undefined ? {} : { requestPolicy: policy }) } };
    const amounts = new Map(asked === undefined ? [] : [['memory', parseQuantity(asked)]]);
    const part = shareOf({ name: 'd', capacity }, amounts)?.get('memory');
    assert.equal(part === undefined ? undefined : formatQuantity(part), expected);
  });

test('a capacity that the device lacks is had of no device', () => {
  const asked = new Map([['bandwidth', parseQuantity('1')]]);
  assert.equal(shareOf({ name: 'd', capacity: { memory: { value: '1' } } }, asked), undefined);
  assert.equal(shareOf({ name: 'd' }, asked), undefined);
  // Not what every object has.
  assert.equal(shareOf({ name: 'd', capacity: {} }, new Map([['constructor', parseQuantity('0')]])), undefined);
  assert.deepEqual(shareOf({ name: 'd' }, new Map()), new Map());
});

const device = { name: 'd', capacity: { memory: { value: '8Gi' }, bandwidth: { value: '10' } } };
const amounts = (memory: string, bandwidth: string) =>
  new Map([
    ['memory', parseQuantity(memory)],
    ['bandwidth', parseQuantity(bandwidth)],
  ]);

test('shares of a device end where any of its capacities ends, and are there again once given back', () => {
  const [decided, searched] = [new ShareSums(), new ShareSums()];
  const fits = (memory: string, bandwidth: string): boolean =>
    hasRoom(device, amounts(memory, bandwidth), decided.of('d'), searched.of('d'));
  assert.ok(fits('8Gi', '10'));
  assert.ok(!fits('8Gi', '10001m'));
  decided.add('d', amounts('4Gi', '1'));
  searched.add('d', amounts('2Gi', '500m'));
  assert.ok(fits('2Gi', '8500m'));
  assert.ok(!fits('2049Mi', '1'));
  assert.ok(!fits('0', '8501m'));
  searched.remove('d', amounts('2Gi', '500m'));
  assert.equal(searched.of('d'), undefined);
  assert.ok(fits('4Gi', '9'));
  decided.add('d', new Map());
  decided.remove('d', amounts('4Gi', '1'));
  assert.ok(decided.of('d') !== undefined, 'a share of nothing is one');
  decided.remove('d', new Map());
  decided.remove('d', new Map());
  assert.equal(decided.of('d'), undefined);
});
