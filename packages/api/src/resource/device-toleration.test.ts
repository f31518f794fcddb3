import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeviceTaint, DeviceToleration } from '../generated/resource-v1.ts';
import { toleratesAll, toleratesDeviceTaint } from './device-toleration.ts';

const TAINT: DeviceTaint = { key: 'broken', value: 'fan', effect: 'NoSchedule' };

const ROWS: readonly [name: string, toleration: DeviceToleration, tolerates: boolean][] = [
  ['everything', { operator: 'Exists' }, true],
  ['everything of an effect', { operator: 'Exists', effect: 'NoSchedule' }, true],
  ['everything of another effect', { operator: 'Exists', effect: 'NoExecute' }, false],
  ['the key, whatever its value', { key: 'broken', operator: 'Exists' }, true],
  ['another key', { key: 'hot', operator: 'Exists' }, false],
  ['key and value', { key: 'broken', operator: 'Equal', value: 'fan' }, true],
  ['Equal is meant where nothing is said', { key: 'broken', value: 'fan' }, true],
  ['another value', { key: 'broken', operator: 'Equal', value: 'board' }, false],
  ['no value is the empty one', { key: 'broken' }, false],
  ['all of it', { key: 'broken', operator: 'Equal', value: 'fan', effect: 'NoSchedule' }, true],
  ['a value of any key', { operator: 'Equal', value: 'fan' }, false],
];
for (const [name, toleration, tolerates] of ROWS)
  test(`a device's taint: ${name}`, () => assert.equal(toleratesDeviceTaint(toleration, TAINT), tolerates));

test('a taint without a value is met by a toleration without one', () => {
  assert.equal(toleratesDeviceTaint({ key: 'broken' }, { key: 'broken', effect: 'NoExecute' }), true);
});

test('every taint has to be tolerated, but those without effect', () => {
  const hot: DeviceTaint = { key: 'hot', effect: 'NoExecute' };
  const broken: DeviceToleration = { key: 'broken', operator: 'Exists' };
  assert.equal(toleratesAll([], undefined), true);
  assert.equal(toleratesAll([broken], [TAINT, hot]), false);
  assert.equal(toleratesAll([broken, { key: 'hot', operator: 'Exists' }], [TAINT, hot]), true);
  assert.equal(toleratesAll([], [{ key: 'looked-at', effect: 'None' }]), true);
});
