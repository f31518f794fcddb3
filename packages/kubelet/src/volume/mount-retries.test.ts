import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VolumeError } from '../errors.ts';
import { MountRetries } from './mount-retries.ts';

const error = new VolumeError('v', 'secret "s" not found');

test('half a second, doubled up to two minutes and two seconds; each time is told', () => {
  const retries = new MountRetries();
  const waits: number[] = [];
  let now = 0;
  for (let i = 0; i < 11; i++) {
    assert.equal(retries.failed('uid', 'v', { error, now }), true);
    waits.push(retries.waits('uid', 'v', now));
    assert.equal(retries.waits('uid', 'v', now + (waits.at(-1) ?? 0)), 0);
    now += waits.at(-1) ?? 0;
  }
  assert.deepEqual(waits, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 122_000, 122_000, 122_000]);
});

test('who tries before its time is heard where it is another thing, and makes it wait for no longer', () => {
  const retries = new MountRetries();
  retries.failed('uid', 'v', { error, now: 0 });
  assert.equal(retries.failed('uid', 'v', { error, now: 100 }), false);
  const other = new VolumeError('v', 'references non-existent secret key: a');
  assert.equal(retries.failed('uid', 'v', { error: other, now: 200 }), true);
  assert.equal(retries.last('uid', 'v'), other);
  assert.equal(retries.waits('uid', 'v', 200), 300);
});

test('what is mended, or whose pod is gone, begins anew; volumes do not know each other', () => {
  const retries = new MountRetries();
  for (const [uid, volume] of [
    ['a', 'v'],
    ['a', 'w'],
    ['b', 'v'],
  ] as const)
    for (const now of [0, 500]) retries.failed(uid, volume, { error, now });
  retries.mended('a', 'v');
  assert.deepEqual([retries.waits('a', 'v', 500), retries.last('a', 'v')], [0, undefined]);
  assert.equal(retries.waits('a', 'w', 500), 1_000);
  retries.failed('a', 'v', { error, now: 500 });
  assert.equal(retries.waits('a', 'v', 500), 500);
  retries.forget('a');
  assert.deepEqual(
    [retries.waits('a', 'w', 500), retries.last('a', 'v'), retries.waits('b', 'v', 500)],
    [0, undefined, 1_000],
  );
});
