import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ProtoReader } from './proto-reader.ts';

test('fields one after the other', () => {
  const reader = new ProtoReader(Uint8Array.from([0x08, 0x96, 0x01, 0x12, 2, 104, 105]));
  assert.ok(reader.next());
  assert.equal(reader.field, 1);
  assert.equal(reader.isPacked, false);
  assert.equal(reader.varint(), 150n);
  assert.ok(reader.next());
  assert.equal(reader.field, 2);
  assert.equal(reader.string(), 'hi');
  assert.equal(reader.next(), false);
});

test('a text that begins with a mark of byte order keeps it', () => {
  const text = new TextEncoder().encode('\ufeffhi');
  const reader = new ProtoReader(Uint8Array.from([0x12, text.length, ...text]));
  assert.ok(reader.next());
  assert.equal(reader.string(), '\ufeffhi');
});

test('any bytes at all are read to the end or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const reader = new ProtoReader(bytes);
      try {
        while (reader.next()) reader.skip();
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'decode');
      }
    }),
    { seed: 36, numRuns: 2000 },
  );
});
