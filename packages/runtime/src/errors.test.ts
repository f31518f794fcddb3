import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CatalogueError } from '@binnacle/base';
import {
  ExecTimeoutError,
  ImagePullError,
  RuntimeConflictError,
  RuntimeError,
  RuntimeNotFoundError,
  RuntimeUnavailableError,
} from './errors.ts';

test('every failure is a RuntimeError with a code, facts and its cause', () => {
  const cause = new RangeError('why');
  for (const [error, code, facts] of [
    [new RuntimeError('m', { cause }), 'runtime', {}],
    [new RuntimeNotFoundError('container', 'c1', cause), 'runtime-not-found', { what: 'container', id: 'c1' }],
    [new RuntimeConflictError('m', cause), 'runtime-conflict', {}],
    [new ImagePullError('a:1', 'm', { cause }), 'image-pull', { image: 'a:1' }],
    [new RuntimeUnavailableError('unix:///x', cause), 'runtime-unavailable', { endpoint: 'unix:///x' }],
    [new ExecTimeoutError(['a'], 5, cause), 'exec-timeout', { command: ['a'], timeoutMs: 5 }],
  ] as const) {
    assert.ok(error instanceof RuntimeError && error instanceof CatalogueError);
    assert.equal(error.code, code);
    assert.deepEqual(error.facts, facts, code);
    assert.equal(error.cause, cause, code);
  }
});

test('a failed pull has the reason that pods show', () => {
  assert.equal(new ImagePullError('a', 'm').reason, 'ErrImagePull');
  assert.equal(new ImagePullError('a', 'm', { reason: 'RegistryUnavailable' }).reason, 'RegistryUnavailable');
});
