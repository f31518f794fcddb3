import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imageRows } from './image-table.ts';

const image = (tags: readonly string[], more: object = {}) => ({
  id: 'sha256:0123456789abcdef0123',
  tags,
  digests: [],
  sizeBytes: 4_261_574,
  ...more,
});

test('images by name, one line for each; a port is no tag', () => {
  assert.deepEqual(
    imageRows([
      image(['b.example:5000/app:1', 'a.example:5000/app']),
      image([], { digests: ['c.example/app@sha256:1'], sizeBytes: 999, id: 'sha256:f' }),
      image([], { sizeBytes: 12_345, id: 'sha256:e' }),
    ]),
    [
      ['<none>', '<none>', 'e', '12.3kB'],
      ['a.example:5000/app', 'latest', '0123456789abc', '4.26MB'],
      ['b.example:5000/app', '1', '0123456789abc', '4.26MB'],
      ['c.example/app', '<none>', 'f', '999B'],
    ],
  );
});
