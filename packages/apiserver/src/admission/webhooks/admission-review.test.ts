import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { admissionOf } from '../../testing/admission.ts';
import { makeReview, readReview, refusalOf, reviewVersion } from './admission-review.ts';
import { WebhookCallError } from './webhook-errors.ts';

const HEAD = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
const asked = { uid: 'u', version: 'v1', mutating: true };
const patch = btoa('[]');
const DENIED = 'admission webhook "h" denied the request';

const ANSWERS: readonly (readonly [name: string, answer: unknown, mutating: boolean, why: string])[] = [
  ['nothing', 1, true, 'received invalid webhook response: webhook response was absent'],
  ['no response', HEAD, true, 'received invalid webhook response: webhook response was absent'],
  [
    'another uid',
    { ...HEAD, response: { uid: 'x' } },
    true,
    'received invalid webhook response: expected response.uid="u", got "x"',
  ],
  [
    'another kind',
    { kind: 'X', response: { uid: 'u' } },
    true,
    'received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got , Kind=X',
  ],
  [
    'a patch without its type',
    { ...HEAD, response: { uid: 'u', patch } },
    true,
    'received invalid webhook response: webhook returned response.patch but not response.patchType',
  ],
  [
    'a type without its patch',
    { ...HEAD, response: { uid: 'u', patchType: 'JSONPatch' } },
    true,
    'received invalid webhook response: webhook returned response.patchType but not response.patch',
  ],
  [
    'another type',
    { ...HEAD, response: { uid: 'u', patch, patchType: 'Merge' } },
    true,
    'unsupported patch type "Merge"',
  ],
  [
    'a patch of who only looks',
    { ...HEAD, response: { uid: 'u', patch, patchType: 'JSONPatch' } },
    false,
    'received invalid webhook response: validating webhook may not return response.patch',
  ],
  [
    'a patch of more values than a body may have',
    { ...HEAD, response: { uid: 'u', patch: btoa(`[${'[],'.repeat(140_000)}[]]`), patchType: 'JSONPatch' } },
    true,
    'received undecodable patch in webhook response: it has too many values',
  ],
  ...(
    [
      ['a warning', { warnings: [{ toString: 1 }] }, 'expected a string, got object'],
      ['an audit annotation', { auditAnnotations: { a: { toString: 1 } } }, 'expected a string, got object'],
      ['a message', { status: { message: { toString: 1 } } }, 'expected a string, got object'],
      ['a cause', { status: { details: { causes: [{ field: 1 }] } } }, 'expected a string, got number'],
      [
        'a time to wait',
        { status: { details: { retryAfterSeconds: '1\r\nset-cookie: a=b' } } },
        'retryAfterSeconds is not a whole number of 32 bits',
      ],
      ['a code', { status: { code: 1e300 } }, 'code is not a whole number of 32 bits'],
    ] as const
  ).map(
    ([what, said, why]) =>
      [
        `${what} of another type`,
        { ...HEAD, response: { uid: 'u', ...said } },
        true,
        `received invalid webhook response: ${why}`,
      ] as const,
  ),
  [
    'a kind that is no text',
    { ...HEAD, kind: { toString: 1 }, response: { uid: 'u' } },
    true,
    'received invalid webhook response: expected a string, got object',
  ],
  [
    'no base64',
    { ...HEAD, response: { uid: 'u', patch: '%', patchType: 'JSONPatch' } },
    true,
    'received undecodable patch in webhook response: illegal base64 data',
  ],
];

describe('no answer', () => {
  for (const [name, answer, mutating, why] of ANSWERS) {
    test(name, () => {
      assert.throws(() => readReview('h', answer, { ...asked, mutating }), {
        name: WebhookCallError.name,
        message: `failed calling webhook "h": ${why}`,
      });
    });
  }
  test('no version that both speak', () => {
    assert.throws(() => reviewVersion({ name: 'h', admissionReviewVersions: ['v2'] }), WebhookCallError);
    assert.equal(reviewVersion({ name: 'h', admissionReviewVersions: ['v2', 'v1beta1', 'v1'] }), 'v1beta1');
  });
});

test('an answer', () => {
  const response = {
    uid: 'u',
    allowed: true,
    warnings: ['w'],
    auditAnnotations: { k: 'v' },
    patch,
    patchType: 'JSONPatch',
  };
  assert.deepEqual(readReview('h', { ...HEAD, response }, asked), {
    allowed: true,
    status: undefined,
    patch: '[]',
    warnings: ['w'],
    auditAnnotations: { k: 'v' },
  });
});

test('a refusal with a Status that is nothing', () => {
  const { allowed, status } = readReview('h', { ...HEAD, response: { uid: 'u', status: null } }, asked);
  assert.deepEqual([allowed, refusalOf('h', status).message], [false, `${DENIED} without explanation`]);
});

test('a question', () => {
  const attributes = admissionOf({
    operation: 'UPDATE',
    resource: 'deployments.apps/status',
    object: { metadata: { namespace: 'a', name: 'd' } },
    before: { metadata: { namespace: 'a', name: 'd' } },
  });
  const { object, before } = attributes;
  const info = { ...attributes.info, version: 'v1beta1' };
  assert.deepEqual(makeReview(attributes, { uid: 'u', version: 'v1', info, object, before }), {
    ...HEAD,
    request: {
      uid: 'u',
      kind: { group: 'apps', version: 'v1beta1', kind: '' },
      resource: { group: 'apps', version: 'v1beta1', resource: 'deployments' },
      subResource: 'status',
      requestSubResource: 'status',
      requestKind: { group: 'apps', version: 'v1', kind: '' },
      requestResource: { group: 'apps', version: 'v1', resource: 'deployments' },
      name: 'd',
      namespace: 'a',
      operation: 'UPDATE',
      userInfo: { username: 'alice', groups: ['system:authenticated'] },
      object: { metadata: { namespace: 'a', name: 'd' }, kind: '', apiVersion: 'apps/v1beta1' },
      oldObject: { metadata: { namespace: 'a', name: 'd' }, kind: '', apiVersion: 'apps/v1beta1' },
      dryRun: false,
      options: { metadata: {} },
    },
  });
});

describe('refusals', () => {
  for (const [name, given, code, message] of [
    ['nothing said', undefined, 400, `${DENIED} without explanation`],
    ['a message', { code: 403, message: 'no', reason: 'Forbidden' }, 403, `${DENIED}: no`],
    ['a code that HTTP has no room for', { code: 1_000_000_000, message: 'no' }, 400, `${DENIED}: no`],
    ['a reason', { code: 200, reason: 'NotFound' }, 400, `${DENIED}: NotFound`],
  ] as const) {
    test(name, () => {
      const refusal = refusalOf('h', given);
      assert.deepEqual([refusal.status.code, refusal.message, refusal.status.status], [code, message, 'Failure']);
    });
  }
});
