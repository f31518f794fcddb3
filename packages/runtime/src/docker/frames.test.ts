import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RuntimeError } from '../errors.ts';
import { FrameReader } from './frames.ts';

function frame(stream: number, text: string): Buffer {
  const head = Buffer.alloc(8);
  head[0] = stream;
  head.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([head, Buffer.from(text)]);
}

function read(chunks: readonly Uint8Array[]): string[] {
  const reader = new FrameReader();
  const all = chunks.flatMap((chunk) => reader.take(chunk));
  reader.end();
  return all.map(({ stream, data }) => `${stream} ${Buffer.from(data).toString()}`);
}

describe('frames of two outputs', () => {
  test('are taken apart, wherever the chunks are cut', () => {
    const whole = Buffer.concat([frame(1, 'out'), frame(2, 'err'), frame(1, ''), frame(1, 'Grüße')]);
    const wanted = ['stdout out', 'stderr err', 'stdout Grüße'];
    assert.deepEqual(read([whole]), wanted);
    assert.deepEqual(read([...whole].map((byte) => Uint8Array.of(byte))), wanted);
  });

  for (const [name, chunks] of [
    ['plain text', [Buffer.from('OCI runtime exec failed: no such file')]],
    ['plain text behind a frame', [frame(1, 'x'), Buffer.from('OCI runtime '), Buffer.from('exec failed')]],
    ['a length that no frame has', [Buffer.from([1, 0, 0, 0, 255, 255, 255, 255, 65])]],
    ['a frame that is cut off', [frame(1, 'whole').subarray(0, 10)]],
  ] as const) {
    test(`${name} is an error`, () => {
      assert.throws(() => read(chunks), RuntimeError);
    });
  }

  test('of plain text only the beginning is kept', () => {
    const reader = new FrameReader();
    for (let i = 0; i < 100; i++) reader.take(Buffer.alloc(100_000, 'no frame '));
    assert.throws(
      () => reader.end(),
      (error: Error) => error.message.length <= 4096,
    );
  });
});
