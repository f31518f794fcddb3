import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ValidatingWebhook, ValidatingWebhookConfiguration } from '../../generated/admissionregistration-v1.ts';
import { validateWebhooks, validateWebhooksUpdate } from './validation.ts';

const webhook = (more: Partial<ValidatingWebhook> = {}): ValidatingWebhook => ({
  name: 'a.example.com',
  clientConfig: { url: 'https://example.com/x' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  timeoutSeconds: 10,
  namespaceSelector: {},
  objectSelector: {},
  ...more,
});
const of = (...webhooks: readonly ValidatingWebhook[]): ValidatingWebhookConfiguration => ({ metadata: {}, webhooks });

const SIDE = /^webhooks\[0\]\.sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"$/;
const VERSIONS =
  /^webhooks\[0\]\.admissionReviewVersions: Invalid value: \["v9"\]: must include at least one of v1, v1beta1$/;
const NAMES = /^webhooks\[1\]\.name: Duplicate value: "a\.example\.com"$/;
const some = webhook({ sideEffects: 'Some' });
const unknown = webhook({ admissionReviewVersions: ['v9'] });

// Upstream lets a change keep what was wrong before, each sort of mistake by itself.
for (const [name, after, before, created, updated] of [
  ['right', of(webhook()), of(webhook()), [], []],
  ['none', { metadata: {} }, { metadata: {} }, [], []],
  ['side effects come', of(some), of(webhook()), [SIDE], [SIDE]],
  ['side effects stay', of(some), of(some), [SIDE], []],
  ['side effects of another webhook stay', of(some), of(webhook(), some), [SIDE], []],
  ['unknown versions come', of(unknown), of(webhook()), [VERSIONS], [VERSIONS]],
  ['unknown versions stay', of(unknown), of(unknown), [VERSIONS], []],
  ['unknown versions in the place of side effects', of(unknown), of(some), [VERSIONS], [VERSIONS]],
  ['a name comes twice', of(webhook(), webhook()), of(webhook()), [NAMES], [NAMES]],
  ['a name stays twice', of(webhook(), webhook()), of(webhook(), webhook()), [NAMES], []],
  ['one new configuration of webhooks', of(webhook()), { metadata: {} }, [], []],
] as const)
  test(`webhooks: ${name}`, () => {
    for (const [found, expected] of [
      [validateWebhooks(after), created],
      [validateWebhooksUpdate(after, before), updated],
    ] as const) {
      assert.equal(found.length, expected.length, found.join());
      for (const [at, error] of expected.entries()) assert.match(String(found[at]), error);
    }
  });
