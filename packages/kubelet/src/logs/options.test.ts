import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogError } from '../errors.ts';
import { parseLogOptions } from './options.ts';

const parse = (query: string): ReturnType<typeof parseLogOptions> =>
  parseLogOptions(new Map(new URLSearchParams(query)), 100_000);
const plain = { follow: false, previous: false, timestamps: false, stream: 'All' };

const rows: readonly [string, object][] = [
  ['', plain],
  ['follow=true&previous=true&timestamps=true', { ...plain, follow: true, previous: true, timestamps: true }],
  ['sinceSeconds=60&tailLines=0&limitBytes=7', { ...plain, since: 40_000, tailLines: 0, limitBytes: 7 }],
  ['sinceTime=1970-01-01T00:00:01Z&stream=Stderr', { ...plain, since: 1_000, stream: 'Stderr' }],
];

for (const [query, wanted] of rows)
  test(`log options: ${query || 'none'}`, () => assert.deepEqual(parse(query), wanted));

for (const query of [
  'tailLines=-1',
  'tailLines=x',
  'limitBytes=0',
  'sinceSeconds=0',
  'sinceTime=x',
  'sinceSeconds=1&sinceTime=1970-01-01T00:00:01Z',
  'stream=x',
]) {
  test(`log options refused: ${query}`, () =>
    assert.throws(
      () => parse(query),
      (error) => error instanceof LogError && error.httpCode === 400,
    ));
}
