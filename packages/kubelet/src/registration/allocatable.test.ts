import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeAllocatable } from './allocatable.ts';

test('what is kept for the node is not for pods', () => {
  const machine = { cpus: 1.5, memoryBytes: 100, ephemeralStorageBytes: 1000 };
  assert.deepEqual(nodeAllocatable(machine, []), { milliCpu: 1500, memoryBytes: 100, ephemeralStorageBytes: 1000 });
  const system = { milliCpu: 500, memoryBytes: 90, ephemeralStorageBytes: 100 };
  const eviction = { milliCpu: 0, memoryBytes: 60, ephemeralStorageBytes: 100 };
  assert.deepEqual(nodeAllocatable(machine, [system, eviction]), {
    milliCpu: 1000,
    memoryBytes: 0,
    ephemeralStorageBytes: 800,
  });
});

test('memory that is set aside in huge pages is no ordinary memory', () => {
  const hugePages = [{ sizeBytes: 2, count: 30 }];
  const machine = { cpus: 1, memoryBytes: 100, ephemeralStorageBytes: 0, hugePages };
  assert.equal(nodeAllocatable(machine, []).memoryBytes, 40);
});
