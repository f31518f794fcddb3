import assert from 'node:assert/strict';
import test from 'node:test';
import { Int64 } from '../int64.ts';
import { bytesOfField, ProtoWriter } from './proto-writer.ts';

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

test('integers of both signs and up to 64 bits, doubles, bytes', () => {
  const rows: [write: (w: ProtoWriter) => void, bytes: number[]][] = [
    [(w) => w.int(1, 300), [8, 0xac, 2]],
    [(w) => w.int(1, 2 ** 40), [8, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20]],
    [(w) => w.int(1, -1), [8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]],
    [(w) => w.int(1, new Int64(2n ** 63n - 1n)), [8, 255, 255, 255, 255, 255, 255, 255, 255, 127]],
    [(w) => w.double(1, 0.5), [9, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f]],
    [(w) => w.bytes(1, Uint8Array.of(1, 2)), [10, 2, 1, 2]],
    [(w) => w.base64(1, '//79'), [10, 3, 255, 254, 253]],
    [(w) => w.lengthOf(1, 200), [10, 0xc8, 1]],
  ];
  for (const [write, bytes] of rows) assert.deepEqual(written(write), bytes);
});

test('texts beyond ASCII, also where their bytes need a longer length than their letters', () => {
  for (const text of ['é', 'ab\u{1f600}', 'é'.repeat(100), `${'x'.repeat(100)}é`, '漢'.repeat(127)]) {
    const utf8 = new TextEncoder().encode(text);
    const length = utf8.length < 128 ? [utf8.length] : [(utf8.length & 127) | 128, utf8.length >> 7];
    assert.deepEqual(
      written((w) => w.string(1, text)),
      [10, ...length, ...utf8],
    );
  }
});

test('what a field takes is known before it is written', () => {
  for (const length of [0, 1, 127, 128, 20_000]) {
    const bytes = written((w) => w.bytes(17, new Uint8Array(length)));
    assert.equal(bytesOfField(17, length), bytes.length);
  }
});

test('a writer is used again', () => {
  const writer = new ProtoWriter(1);
  writer.string(1, 'x'.repeat(50));
  writer.reset();
  writer.bool(1, true);
  assert.deepEqual([writer.length, ...writer.finish()], [2, 8, 1]);
});
