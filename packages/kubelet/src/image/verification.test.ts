import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VerificationPolicy } from '../config.ts';
import { mustVerify, readAllowlist } from './verification.ts';

const LIST = ['docker.io/library/busybox', 'r.example.com/team/*', '[::1]:5000/a'];

const rows: readonly [VerificationPolicy, string, boolean, boolean][] = [
  ['NeverVerify', 'r.example.com/a', true, false],
  ['NeverVerifyPreloadedImages', 'r.example.com/a', false, false],
  ['NeverVerifyPreloadedImages', 'r.example.com/a', true, true],
  ['AlwaysVerify', 'r.example.com/a', false, true],
  ['NeverVerifyAllowlistedImages', 'busybox:1', true, false],
  ['NeverVerifyAllowlistedImages', `busybox@sha256:${'a'.repeat(64)}`, true, false],
  ['NeverVerifyAllowlistedImages', 'busybox2', true, true],
  ['NeverVerifyAllowlistedImages', 'r.example.com/team/b/c:1', true, false],
  ['NeverVerifyAllowlistedImages', 'r.example.com/teams:1', false, true],
  ['NeverVerifyAllowlistedImages', 'r.example.com.evil/team/b', false, true],
  ['NeverVerifyAllowlistedImages', '[::1]:5000/a', false, false],
];

for (const [policy, image, isPulled, wanted] of rows)
  test(`${policy}: ${image.slice(0, 40)}, ${isPulled ? 'pulled' : 'found'}`, () => {
    assert.equal(mustVerify({ policy, allowlist: readAllowlist(LIST) }, image, isPulled), wanted);
  });

for (const pattern of [
  '',
  ' ',
  '*',
  '/*',
  ' a/*',
  'a*/b',
  'r.io/*/b',
  'r.io/a*',
  'busybox',
  'docker.io/library/a:1',
  'A',
])
  test(`a pattern that is none: ${JSON.stringify(pattern)}`, () => {
    assert.throws(() => readAllowlist([pattern]), { code: 'kubelet-config' });
  });
