import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Translation } from './translation.ts';

const SPANS: readonly {
  name: string;
  prefix: string;
  key: string;
  end?: string;
  wire: readonly (string | undefined)[];
}[] = [
  { name: 'one key', prefix: '', key: 'a', wire: ['a', undefined] },
  { name: 'one key under a prefix', prefix: '/p/', key: 'a', wire: ['/p/a', undefined] },
  { name: 'a range under a prefix', prefix: '/p/', key: 'a', end: 'b', wire: ['/p/a', '/p/b'] },
  { name: 'everything', prefix: '', key: '', end: '\0', wire: ['\0', '\0'] },
  { name: 'everything under a prefix', prefix: '/p/', key: '', end: '\0', wire: ['/p/', '/p0'] },
  { name: 'from a key on, under a prefix', prefix: '/p/', key: 'x', end: '\0', wire: ['/p/x', '/p0'] },
];

for (const { name, prefix, key, end, wire } of SPANS) {
  test(`span: ${name}`, () => {
    const span = new Translation(prefix).span(key, end);
    assert.deepEqual([span.key.toString('latin1'), span.range_end?.toString('latin1')], wire);
  });
}

test('keys are bytes both ways', () => {
  const translation = new Translation('/p/');
  const key = '\0a\x80\xff';
  assert.deepEqual([...translation.key(key)], [0x2f, 0x70, 0x2f, 0, 0x61, 0x80, 0xff]);
  assert.equal(translation.bareKey(translation.key(key)), key);
});

test('absent fields are zero, absent bytes are empty', () => {
  const { key, value, ...numbers } = new Translation('').keyValue({});
  assert.deepEqual([key, value.byteLength], ['', 0]);
  assert.deepEqual(numbers, { createRevision: 0, modRevision: 0, version: 0, lease: 0 });
});
