import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectGarbage, peakOfBuffers } from './held-memory.ts';

const MIB = 1024 * 1024;

test('what nobody holds is gone, what somebody holds is not', async () => {
  const kept = { n: 1 };
  const [held, dropped] = [new WeakRef(kept), new WeakRef({ n: 2 })];
  await collectGarbage();
  assert.deepEqual([held.deref()?.n, dropped.deref()], [kept.n, undefined]);
});

test('buffers that are held are counted, those that are let go of are not', async () => {
  const before = await peakOfBuffers(1, () => Promise.resolve(1));
  const held: Uint8Array[] = [];
  const keep = async (): Promise<number> => held.push(new Uint8Array(MIB)) * 0 + MIB;
  const drop = async (): Promise<number> => new Uint8Array(MIB).length;
  assert.ok((await peakOfBuffers(64 * MIB, drop)) - before < 32 * MIB);
  assert.ok((await peakOfBuffers(64 * MIB, keep)) - before >= 48 * MIB, `${held.length} are held`);
});

for (const [name, count, message] of [
  ['ends earlier', 0, '0 bytes came instead of 5'],
  ['says more', 9, '9 bytes came instead of 5'],
] as const) {
  test(`a reader that ${name} than it should is refused`, () =>
    assert.rejects(() => peakOfBuffers(5, () => Promise.resolve(count)), { name: 'RangeError', message }));
}
