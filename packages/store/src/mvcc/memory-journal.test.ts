import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryJournal } from './memory-journal.ts';

test('a snapshot holds every entry with its value', async () => {
  const entries = Array.from({ length: 300 }, (_, i) => ({
    key: `k${i}`,
    value: new Uint8Array(1000).fill(i),
    createRevision: 1,
    modRevision: i,
    version: 1,
    lease: 0,
    position: i,
  }));
  const chunks: Uint8Array[] = [];
  for await (const chunk of new MemoryJournal().snapshot({ revision: 300, entries: () => entries })) chunks.push(chunk);
  assert.ok(chunks.length > 1, 'in pieces');
  let rest = Buffer.concat(chunks);
  const line = (): Record<string, unknown> => {
    const end = rest.indexOf('\n');
    const parsed = JSON.parse(rest.toString('utf8', 0, end)) as Record<string, unknown>;
    rest = rest.subarray(end + 1);
    return parsed;
  };
  assert.deepEqual(line(), { format: 'binnacle-memory-1', revision: 300 });
  for (const { value, ...facts } of entries) {
    assert.deepEqual(line(), { ...facts, bytes: 1000 });
    assert.deepEqual(rest.subarray(0, 1000), Buffer.from(value));
    rest = rest.subarray(1000);
  }
  assert.equal(rest.length, 0);
});
