import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KubeletConfigError } from '../errors.ts';
import { formatCpuSet, parseCpuSet } from './cpu-set.ts';

for (const [text, cpus, same] of [
  ['0', [0], '0'],
  ['0-3,8', [0, 1, 2, 3, 8], '0-3,8'],
  ['8, 0-1\n', [0, 1, 8], '0-1,8'],
  ['1,0,2,2', [0, 1, 2], '0-2'],
  ['', [], ''],
] as const) {
  test(`CPUs ${JSON.stringify(text)}`, () => {
    assert.deepEqual(parseCpuSet(text), cpus);
    assert.equal(formatCpuSet(cpus), same);
  });
}

for (const text of ['a', '3-1', '-1', '1-', '0-99999', '9999']) {
  test(`no CPUs: ${text}`, () => assert.throws(() => parseCpuSet(text), KubeletConfigError));
}
