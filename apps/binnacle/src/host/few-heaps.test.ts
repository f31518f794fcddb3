import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withFewHeaps } from './few-heaps.ts';

test('a process that is started has two heaps unless its environment says how many', () => {
  assert.deepEqual(withFewHeaps({ HOME: '/h' }), { HOME: '/h', MALLOC_ARENA_MAX: '2' });
  assert.deepEqual(withFewHeaps({ MALLOC_ARENA_MAX: '8' }), { MALLOC_ARENA_MAX: '8' });
});
