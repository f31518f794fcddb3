import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError } from '@binnacle/machinery';
import { parseQuery } from '../request/query.ts';
import { timeGiven } from './time-given.ts';

const LIST = { verb: 'list', subresource: '' };

test('the time that a request is given', () => {
  const rows: [name: string, query: string, ms: number][] = [
    ['none', '', 0],
    ['empty', 'timeout=', 0],
    ['no limit', 'timeout=0', 0],
    ['seconds', 'timeout=32s', 32_000],
    ['several units', 'timeout=1m1.5s', 61_500],
    ['small ones', 'timeout=1500us', 1.5],
    ['below zero', 'timeout=-5s', 0],
  ];
  for (const [name, query, ms] of rows) assert.equal(timeGiven(LIST, parseQuery(query)), ms, name);
});

test('what is no duration is refused, but for what lasts as long as the client likes', () => {
  for (const text of ['invalid', '5', '5x', 's', '-', '1s2', `${'9'.repeat(300)}s`, '99999999999h']) {
    assert.throws(
      () => timeGiven(LIST, parseQuery(`timeout=${text}`)),
      (error) =>
        error instanceof StatusError &&
        error.status.code === 400 &&
        error.message.startsWith('invalid timeout specified in the request URL - time: '),
      text,
    );
  }
  for (const info of [
    { verb: 'watch', subresource: '' },
    { verb: 'get', subresource: 'log' },
    { verb: 'create', subresource: 'exec' },
  ]) {
    assert.equal(timeGiven(info, parseQuery('timeout=invalid')), 0);
  }
});
