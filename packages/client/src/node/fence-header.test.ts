import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fenceHeader } from './fence-header.ts';

test('a term goes into the header; what a header may not hold is encoded', () => {
  const term = { namespace: 'kube-system', lease: 'manager', transitions: 3 };
  assert.equal(fenceHeader({ ...term, holder: 'host_1f' }), 'kube-system/manager;3;host_1f');
  assert.equal(fenceHeader({ ...term, holder: 'a;b\r\nä' }), 'kube-system/manager;3;a%3Bb%0D%0A%C3%A4');
});
