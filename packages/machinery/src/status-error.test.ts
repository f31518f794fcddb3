import assert from 'node:assert/strict';
import test from 'node:test';
import * as status from './status-error.ts';
import type { StatusError } from './status-error.ts';

const PODS = { group: '', resource: 'pods' };
const DEPLOYMENTS = { group: 'apps', resource: 'deployments' };

// Provenance: pkg/api/errors of upstream's apimachinery.
const FAILURES: [error: StatusError, code: number, reason: string | undefined, message: string][] = [
  [status.notFound(PODS, 'x'), 404, 'NotFound', 'pods "x" not found'],
  [status.alreadyExists(DEPLOYMENTS, 'x'), 409, 'AlreadyExists', 'deployments.apps "x" already exists'],
  [status.conflict(PODS, 'x', 'why'), 409, 'Conflict', 'Operation cannot be fulfilled on pods "x": why'],
  [status.forbidden(PODS, '', 'why'), 403, 'Forbidden', 'pods is forbidden: why'],
  [status.forbidden(PODS, 'x', 'why'), 403, 'Forbidden', 'pods "x" is forbidden: why'],
  [
    status.methodNotSupported(PODS, 'patch'),
    405,
    'MethodNotAllowed',
    'patch is not supported on resources of kind "pods"',
  ],
  [status.invalid({ group: '', kind: 'Pod' }, 'x', []), 422, 'Invalid', 'Pod "x" is invalid'],
  [status.expired('too old'), 410, 'Expired', 'too old'],
  [status.gone('gone'), 410, 'Gone', 'gone'],
  [status.unprocessable('why'), 422, 'Invalid', 'the server rejected our request due to an error in our request'],
  [status.internalError('oops'), 500, 'InternalError', 'Internal error occurred: oops'],
  [status.internalFailure('oops'), 500, undefined, 'oops'],
  [status.timeout('slow', 5), 504, 'Timeout', 'Timeout: slow'],
  [status.requestEntityTooLarge('limit is 1'), 413, 'RequestEntityTooLarge', 'Request entity too large: limit is 1'],
  [status.unauthorized(), 401, 'Unauthorized', 'Unauthorized'],
  [status.badRequest('x'), 400, 'BadRequest', 'x'],
];
for (const [error, code, reason, message] of FAILURES) {
  test(`${reason} ${code}: ${message}`, () => {
    assert.equal(error.httpCode, code);
    assert.deepEqual(
      { ...error.status, details: undefined },
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message,
        ...(reason === undefined ? {} : { reason }),
        details: undefined,
        code,
      },
    );
  });
}

test('details name the object', () => {
  assert.deepEqual(status.notFound(DEPLOYMENTS, 'x').status.details, { name: 'x', group: 'apps', kind: 'deployments' });
  assert.deepEqual(status.tooManyRequests('wait', 3).status.details, { retryAfterSeconds: 3 });
});

test('predicates ask for the reason, also of a Status that came over a wire', () => {
  const received: StatusError = status.fromStatus(status.notFound(PODS, 'x').status);
  assert.equal(received.code, 'NotFound');
  assert.ok(status.isNotFound(received));
  assert.ok(!status.isConflict(received));
  assert.ok(status.isExpired(status.gone('')));
  assert.ok(!status.isNotFound(new TypeError('x')));
});

test('many causes are told up to a bound, and the rest counted', () => {
  const errors = Array.from(
    { length: 5000 },
    (_, i) => new status.FieldError('FieldValueInvalid', `a[${i}]`, 'x', 'bad'),
  );
  const { status: told } = status.invalid({ group: '', kind: 'Pod' }, 'x', errors);
  assert.equal(told.details?.causes?.length, 1001);
  assert.deepEqual(told.details?.causes?.at(-1), { message: 'and 4000 more' });
  assert.ok(told.message?.endsWith(', and 4000 more]'));
});

test('large values are told until there is enough', () => {
  const errors = Array.from(
    { length: 100 },
    () => new status.FieldError('FieldValueInvalid', 'a', 'x'.repeat(1_000_000), 'bad'),
  );
  const { status: told } = status.invalid({ group: '', kind: 'Pod' }, 'x', errors);
  assert.ok(JSON.stringify(told).length < 400_000);
  assert.deepEqual(told.details?.causes?.at(-1), { message: 'and 84 more' });
});
