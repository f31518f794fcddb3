import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { claimNameBase } from './names.ts';

test('names of claims tell pod and claim, and leave room', () => {
  assert.equal(claimNameBase('pod', 'gpu'), 'pod-gpu-');
  const long = claimNameBase('p'.repeat(200), 'c'.repeat(100));
  assert.ok(long.length <= 57 && /^p+-c+$/.test(long), long);
});
