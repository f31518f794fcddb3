import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { LineSplitter, linesOf } from './line-splitter.ts';

const TEXT = '{"a":"ä€😀"}\n{"b":2}\n\n{"c":"ü"}\n';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function* cut(text: string, size: number): AsyncGenerator<Uint8Array> {
  const whole = bytes(text);
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
}

async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

test('any cut gives the same lines, multi-byte characters whole', () => {
  const whole = bytes(TEXT);
  for (let size = 1; size <= whole.length; size++) {
    const splitter = new LineSplitter(100);
    const lines: string[] = [];
    for (let at = 0; at < whole.length; at += size) lines.push(...(splitter.push(whole.subarray(at, at + size)) ?? []));
    assert.deepEqual(lines, TEXT.split('\n').slice(0, -1), `chunks of ${size}`);
    assert.equal(splitter.flush(), '');
  }
});

test('what has no newline comes with flush', () => {
  const splitter = new LineSplitter(100);
  assert.deepEqual(splitter.push(bytes('x\nha')), ['x']);
  assert.deepEqual(splitter.push(bytes('lf')), []);
  assert.equal(splitter.flush(), 'half');
  assert.equal(splitter.flush(), '');
});

test('as much as the bound may wait, and no more', () => {
  const splitter = new LineSplitter(4);
  assert.deepEqual(splitter.push(bytes('long enough\nhalf')), ['long enough']);
  assert.deepEqual(splitter.push(bytes('\nhal')), ['half']);
  assert.deepEqual(splitter.push(bytes('f')), []);
  assert.equal(splitter.push(bytes('s')), undefined);
});

test('lines of a body: blank ones and what is cut at its end are none', async () => {
  for (const size of [1, 3, 1000]) {
    const lines = await all(linesOf(cut(`${TEXT} \r\n{"d`, size), { bytesMax: 100, tooLong: () => new Error('no') }));
    assert.deepEqual(lines, ['{"a":"ä€😀"}', '{"b":2}', '{"c":"ü"}'], `chunks of ${size}`);
  }
});

test('a line without an end is refused in the words of who reads', async () => {
  const tooLong = (): Error => new Error('an event has no end');
  await assert.rejects(all(linesOf(cut('x'.repeat(101), 10), { bytesMax: 100, tooLong })), /has no end/);
});
