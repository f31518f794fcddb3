import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdmissionConfigurationError } from './configuration-error.ts';
import { readImagePolicy } from './image-policy-file.ts';

const of = (more: object): object => ({ imagePolicy: { kubeConfigFile: '/k', ...more } });

test('what is not said is as usual', () => {
  assert.deepEqual(readImagePolicy(of({})), {
    kubeConfigFile: '/k',
    allowTtlMs: 300_000,
    denyTtlMs: 30_000,
    retryBackoffMs: 500,
    defaultAllow: false,
  });
});

test('what is said holds; -1 is none', () => {
  const said = readImagePolicy(of({ allowTTL: 50, denyTTL: -1, retryBackoff: 20, defaultAllow: true }));
  assert.deepEqual([said.allowTtlMs, said.denyTtlMs, said.retryBackoffMs, said.defaultAllow], [50_000, 0, 20, true]);
});

const WRONG: readonly [name: string, document: unknown, says: RegExp][] = [
  ['nothing', undefined, /expected a configuration with imagePolicy/],
  ['nobody to ask', { imagePolicy: {} }, /imagePolicy\.kubeConfigFile: Required value/],
  ['an unknown field', of({ ttl: 1 }), /unknown field "imagePolicy\.ttl"/],
  ['an unknown field beside', { ...of({}), kind: 'x' }, /unknown field "kind"/],
  ['a text for a time', of({ allowTTL: '1m' }), /allowTTL/],
  ['too short', of({ denyTTL: 1 }), /denyTTL: Invalid value: 1: must be above 1 and at most 1800/],
  ['too long', of({ allowTTL: 1801 }), /allowTTL: Invalid value: 1801/],
  ['a wait that is too long', of({ retryBackoff: 300_001 }), /retryBackoff: Invalid value/],
  ['less than none', of({ retryBackoff: -2 }), /retryBackoff: Invalid value/],
];
for (const [name, document, says] of WRONG) {
  test(`refused: ${name}`, () => {
    assert.throws(
      () => readImagePolicy(document),
      (error) => error instanceof AdmissionConfigurationError && says.test(error.message),
    );
  });
}
