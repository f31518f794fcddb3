import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupPageSize, hugePageLimits, hugePagesBytes, hugePagesName, isHugePages, pageSizeOf } from './huge-pages.ts';

const rows: readonly [number, string, string][] = [
  [64 << 10, 'hugepages-64Ki', '64KB'],
  [2 << 20, 'hugepages-2Mi', '2MB'],
  [32 << 20, 'hugepages-32Mi', '32MB'],
  [1 << 30, 'hugepages-1Gi', '1GB'],
  [512, 'hugepages-512', '512B'],
];

for (const [bytes, name, group] of rows) {
  test(`pages of ${bytes} bytes`, () => {
    assert.deepEqual([hugePagesName(bytes), groupPageSize(bytes)], [name, group]);
    assert.deepEqual([isHugePages(name), pageSizeOf(name)], [true, name.slice(10)]);
  });
}

test('what may be used of each size that a machine has', () => {
  const machine = [
    { sizeBytes: 2 << 20, count: 4 },
    { sizeBytes: 1 << 30, count: 0 },
  ];
  const limits = hugePageLimits(machine, (name) => (name === 'hugepages-2Mi' ? 5 : 0));
  assert.deepEqual(limits, [
    { pageSize: '2MB', limitBytes: 5 },
    { pageSize: '1GB', limitBytes: 0 },
  ]);
  assert.deepEqual(
    hugePageLimits([{ sizeBytes: 2 << 20, count: 0 }], () => 5),
    [],
  );
  assert.equal(hugePagesBytes(machine), 8 << 20);
});
