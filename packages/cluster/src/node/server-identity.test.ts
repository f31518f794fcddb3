import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { serverIdentity } from './server-identity.ts';

test('two servers of one host have names of their own, the same after a restart', () => {
  const { name, hostname: own } = serverIdentity(6443);
  assert.equal(own, hostname());
  assert.match(name, /^apiserver-[0-9a-f]{26}$/);
  assert.equal(serverIdentity(6443).name, name);
  assert.notEqual(serverIdentity(6444).name, name);
});
