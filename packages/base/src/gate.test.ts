import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openGate } from './gate.ts';

test('nobody is held where nobody can hold', () => {
  openGate.join('c');
  assert.equal(openGate.pass('c', { what: 'sync' }), undefined);
});
