import assert from 'node:assert/strict';
import test from 'node:test';
import { ProtoWriter } from './proto-writer.ts';

function written(write: (writer: ProtoWriter) => void): number[] {
  const writer = new ProtoWriter(1);
  write(writer);
  return [...writer.finish()];
}

test('strings, booleans and nested messages are written as the protobuf encoding guide says', () => {
  assert.deepEqual(
    written((w) => w.string(2, 'testing')),
    [0x12, 7, 116, 101, 115, 116, 105, 110, 103],
  );
  assert.deepEqual(
    written((w) => w.bool(16, true)),
    [0x80, 0x01, 1],
  );
  assert.deepEqual(
    written((w) => w.message(3, () => w.bool(1, false))),
    [0x1a, 2, 8, 0],
  );
});

test('a long nested message gets a long length', () => {
  const bytes = written((w) => w.message(1, () => w.message(1, () => w.string(1, 'x'.repeat(300)))));
  assert.deepEqual(bytes.slice(0, 9), [10, 0xb2, 0x02, 10, 0xaf, 0x02, 10, 0xac, 0x02]);
  assert.equal(bytes.length, 309);
});
