import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock, createSeededRandom } from '@binnacle/base';
import { createMemoryStore } from '@binnacle/store';
import { NodePorts } from './node-ports.ts';
import { decodePorts, encodePorts } from './port-bitmap.ts';

const RANGE = { first: 30_000, last: 30_003 };

function create(inUse: readonly number[] = []): NodePorts {
  const store = createMemoryStore({ clock: new VirtualClock() });
  return new NodePorts({ store, random: createSeededRandom(1), range: RANGE, portsInUse: () => inUse });
}

test('all that is wanted or nothing', async () => {
  const ports = create();
  await ports.claim([30_001], 0, false);
  await assert.rejects(ports.claim([30_000, 30_001], 1, false), { code: 'allocated' });
  assert.deepEqual(await ports.findOrphans(), [30_001]);
  await assert.rejects(ports.claim([30_000], 3, false), { code: 'full' });
  assert.equal((await ports.claim([30_000], 2, false)).length, 2);
});

test('a failure is nobody else’s', async () => {
  const ports = create();
  const bad = ports.claim([80], 0, false);
  const full = ports.claim([], 5, false);
  const good = ports.claim([], 1, false);
  await assert.rejects(bad, { code: 'range' });
  await assert.rejects(full, { code: 'full' });
  assert.equal((await good).length, 1);
});

test('ports of Services count even where the record has lost them', async () => {
  await assert.rejects(create([30_002]).claim([30_002], 0, false), { code: 'allocated' });
});

test('given back, a port may be had again; a dry run keeps nothing', async () => {
  const ports = create();
  await ports.claim([30_003], 0, true);
  await ports.claim([30_003], 0, false);
  await ports.free([30_003]);
  await ports.claim([30_003], 0, false);
});

test('the record has the form of a RangeAllocation', () => {
  const bytes = encodePorts([30_000, 30_003], RANGE);
  const record = JSON.parse(new TextDecoder().decode(bytes)) as { data: string; range: string };
  assert.deepEqual([record.range, record.data], ['30000-30003', btoa('\x09')]);
  assert.deepEqual([...decodePorts(bytes, RANGE)], [30_000, 30_003]);
  assert.deepEqual([...decodePorts(bytes, { first: 1, last: 9 })], []);
  assert.deepEqual([...decodePorts(new TextEncoder().encode('k8s\0'), RANGE)], []);
});
