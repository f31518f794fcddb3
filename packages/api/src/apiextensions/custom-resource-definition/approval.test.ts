import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustomResourceDefinition } from '../../generated/apiextensions-v1.ts';
import { stateOf } from './approval.ts';

const definition = (approval?: string): CustomResourceDefinition => ({
  metadata: approval === undefined ? {} : { annotations: { 'api-approved.kubernetes.io': approval } },
  spec: { group: 'x.k8s.io', scope: 'Namespaced', names: { plural: 'foos', kind: 'Foo' }, versions: [] },
});

// Upstream reads the address as Go reads that of a request: absolute, with a host.
for (const [approval, state] of [
  [undefined, 'missing'],
  ['', 'missing'],
  ['https://github.com/kubernetes/enhancements/pull/1111', 'approved'],
  ['http://x:80?y', 'approved'],
  ['ftp://x', 'approved'],
  ['https://x/a b', 'approved'],
  ['unapproved, experimental-only', 'bypassed'],
  ['unapproved', 'bypassed'],
  ['unapprovedhttps://x', 'bypassed'],
  ['Unapproved', 'invalid'],
  [' unapproved', 'invalid'],
  ['approved', 'invalid'],
  ['github.com/kubernetes', 'invalid'],
  ['/kubernetes', 'invalid'],
  ['https://', 'invalid'],
  ['https:///x', 'invalid'],
  ['https:x', 'invalid'],
  ['mailto:a@b', 'invalid'],
  ['1https://x', 'invalid'],
  ['https://a b/', 'invalid'],
  ['https://x#y', 'invalid'],
  ['https://x/\u0001', 'invalid'],
  ['https://x/\n', 'invalid'],
] as const)
  test(`approval ${JSON.stringify(approval)} is ${state}`, () => assert.equal(stateOf(definition(approval)), state));
