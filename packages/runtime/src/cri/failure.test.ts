import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRuntimeError } from './failure.ts';

test('what gRPC says, in the catalogue', () => {
  for (const [name, status, details, code] of [
    ['not found', 5, 'no such', 'runtime-not-found'],
    ['exists', 6, 'there is one', 'runtime-conflict'],
    ['taken name, by text', 2, 'failed to reserve: name "x" is reserved for "y"', 'runtime-conflict'],
    ['unavailable', 14, 'connect ENOENT', 'runtime-unavailable'],
    ['deadline', 4, 'deadline', 'runtime-timeout'],
    ['anything else', 2, 'runc said no', 'runtime'],
  ] as const) {
    const thrown = Object.assign(new RangeError('wire'), { code: status, details });
    const error = toRuntimeError(thrown, 'unix:///x', { what: 'container', id: 'c1' });
    assert.equal(error.code, code, name);
    assert.equal(error.cause, thrown, name);
  }
});

test('what a server says at length is cut: it goes into the status of each container', () => {
  const thrown = Object.assign(new RangeError('wire'), { code: 2, details: 'x'.repeat(60_000) });
  const { message } = toRuntimeError(thrown, 'unix:///x', { what: 'container', id: 'c1' });
  assert.deepEqual([message.length, message.at(-1)], [8_193, '…']);
});
