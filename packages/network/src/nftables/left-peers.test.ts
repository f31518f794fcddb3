import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Peers } from './left-peers.ts';

test('who is not in a group any more has left; who goes with a group that nobody asks for has not', () => {
  const peers = new Peers(
    new Map([
      ['a', new Set(['10.0.0.1', '10.0.0.2'])],
      ['b', new Set(['10.0.0.2', '10.0.0.3'])],
    ]),
  );
  assert.deepEqual(peers.left(new Map([['a', new Set(['10.0.0.2', '10.0.0.9'])]])), ['10.0.0.1']);
  const both = new Map([
    ['a', new Set(['10.0.0.9'])],
    ['b', new Set(['10.0.0.3'])],
  ]);
  assert.deepEqual(peers.left(both), ['10.0.0.2'], 'once');
  assert.deepEqual(peers.left(new Map([['b', undefined]])), []);
  assert.deepEqual(peers.left(new Map([['b', new Set(['10.0.0.4'])]])), [], 'a new one of its name');
  assert.deepEqual(peers.left(new Map([['b', new Set()]])), ['10.0.0.4']);
});
