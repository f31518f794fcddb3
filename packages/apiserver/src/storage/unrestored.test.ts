import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseUnrestored, unrestored } from './unrestored.ts';

test('what could not be restored says why, and objects pass', () => {
  assert.throws(() => refuseUnrestored(unrestored('no key opens it')), { message: 'no key opens it' });
  refuseUnrestored(new TextEncoder().encode('{"kind":"Secret"}'));
  refuseUnrestored(new Uint8Array(0));
});
