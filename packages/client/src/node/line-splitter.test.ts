import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { LineSplitter } from './line-splitter.ts';

test('any cut gives the same lines, multi-byte characters whole', () => {
  const text = '{"a":"ä€😀"}\n{"b":2}\n\n{"c":"ü"}\n';
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size <= bytes.length; size++) {
    const splitter = new LineSplitter();
    const lines: string[] = [];
    for (let at = 0; at < bytes.length; at += size) lines.push(...(splitter.push(bytes.subarray(at, at + size)) ?? []));
    assert.deepEqual(lines, text.split('\n').slice(0, -1), `chunks of ${size}`);
    assert.equal(splitter.flush(), '');
  }
});

test('what has no newline comes with flush', () => {
  const splitter = new LineSplitter();
  assert.deepEqual(splitter.push(new TextEncoder().encode('x\nha')), ['x']);
  assert.deepEqual(splitter.push(new TextEncoder().encode('lf')), []);
  assert.equal(splitter.flush(), 'half');
});
