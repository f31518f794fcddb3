import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverIdentity } from './server-identity.ts';

test('two servers of one host have names of their own, the same after a restart', () => {
  const { name, hostname: own } = serverIdentity(6443, 'Build-7.example');
  assert.equal(own, 'Build-7.example');
  assert.match(name, /^apiserver-[0-9a-f]{26}$/);
  assert.equal(serverIdentity(6443, 'Build-7.example').name, name);
  assert.notEqual(serverIdentity(6444, 'Build-7.example').name, name);
});

test('a host without a name has a server that a label can tell', () => {
  assert.equal(serverIdentity(6443, '(none)').hostname, 'none');
  assert.match(serverIdentity(6443).hostname, /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/);
});
