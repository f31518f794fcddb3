import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Entry } from '../mvcc/entry.ts';
import { KIND, Packer, unpackChanges, unpackEntries } from './packing.ts';

function entry(position: number, key: string, size: number): Entry {
  const value = Uint8Array.from({ length: size }, (_, i) => (i + position) & 0xff);
  return { key, value, createRevision: 2 ** 40, modRevision: 2 ** 52 + position, version: 3, lease: 4, position };
}

test('entries come out as they went in, whatever their size', () => {
  const packer = new Packer();
  const entries = [0, 1, 5000, 0, 100_000, ...Array.from({ length: 100 }, (_, i) => i)].map((size, i) =>
    entry(i + 1, `key/\xff\0${i}`, size),
  );
  for (const e of entries) packer.addEntry(KIND.put, e, 0);
  assert.equal(packer.count, entries.length);
  const out = [...unpackEntries(packer.take())];
  assert.deepEqual(
    out.map((o) => ({ ...o.entry, value: Buffer.from(o.entry.value) })),
    entries.map((e) => ({ ...e, value: Buffer.from(e.value) })),
  );
  assert.deepEqual([packer.count, packer.used], [0, 0], 'it starts anew');
});

test('values own their bytes', () => {
  const packer = new Packer();
  packer.addEntry(KIND.put, entry(1, 'a', 10), 0);
  packer.addEntry(KIND.put, entry(2, 'b', 10), 0);
  for (const { entry: e } of unpackEntries(packer.take())) assert.equal(e.value.buffer.byteLength, 10);
});

test('a change follows what it replaced', () => {
  const packer = new Packer();
  const [a, b, c] = [entry(1, 'a', 3), entry(2, 'a', 3), entry(3, 'a', 0)];
  packer.addEntry(KIND.put, a, 0);
  packer.addEntry(KIND.previous, a, 0);
  packer.addEntry(KIND.put, b, 0);
  packer.addEntry(KIND.previous, b, 0);
  packer.addEntry(KIND.delete, c, 0);
  const changes = unpackChanges(packer.take());
  assert.deepEqual(
    changes.map((change) => [change.type, change.kv.position, change.prevKv?.position]),
    [
      ['put', 1, undefined],
      ['put', 2, 1],
      ['delete', 3, 2],
    ],
  );
});
