import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery } from './query.ts';

test('of a repeated parameter the first counts; all are there for who wants them', () => {
  const query = parseQuery('command=ls&container=c&command=-l%20a');
  assert.equal(query.get('command'), 'ls');
  assert.deepEqual(query.all('command'), ['ls', '-l a']);
  assert.deepEqual([query.all('container'), query.all('absent')], [['c'], []]);
});

test('names that every object has are names as any other', () => {
  const none = parseQuery('a=b');
  const some = parseQuery('constructor=x&__proto__=y&toString');
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    assert.deepEqual([none.get(name), none.has(name), none.bool(name)], ['', false, false], name);
  }
  assert.deepEqual([some.get('constructor'), some.get('__proto__'), some.has('toString')], ['x', 'y', true]);
});
