import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeredStatus } from './answered-status.ts';

const ASKED = { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1' };
const status = { authenticated: true };

for (const [name, answer, found] of [
  ['the review', { ...ASKED, status }, status],
  ['of another version', { ...ASKED, apiVersion: 'authentication.k8s.io/v1beta1', status }, status],
  ['who does not say', { status }, status],
  ['nothing said', { ...ASKED }, {}],
  ['a status that is none', { ...ASKED, status: [status] }, {}],
  ['no status at all', { ...ASKED, status: null }, {}],
  ['another kind', { kind: 'SubjectAccessReview', apiVersion: ASKED.apiVersion, status }, undefined],
  ['another group', { kind: 'TokenReview', apiVersion: 'example.com/v1', status }, undefined],
  ['a group that begins so', { kind: 'TokenReview', apiVersion: 'authentication.k8s.iox/v1', status }, undefined],
  ['a kind that is no text', { kind: { toString: 1 }, status }, undefined],
  ['a version that is no text', { apiVersion: ['authentication.k8s.io/v1'], status }, undefined],
  ['a list', [{ ...ASKED, status }], undefined],
  ['nothing', null, undefined],
  ['a text', 'yes', undefined],
] as const) {
  test(name, () => assert.deepEqual(answeredStatus(answer, ASKED), found));
}
