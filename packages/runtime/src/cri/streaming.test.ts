import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ByteSink, ByteSource } from '@binnacle/base';
import { StreamCutError } from '@binnacle/base';
import { RuntimeError } from '../errors.ts';
import { exitCodeOf, wantedStreams } from './streaming.ts';

const stdin = {} as ByteSource;
const out = {} as ByteSink;
const none = { stdin: false, stdout: false, stderr: false };

for (const [name, io, wanted] of [
  [
    'all three',
    { stdin, stdout: out, stderr: out, tty: false },
    { stdin: true, stdout: true, stderr: true, tty: false },
  ],
  ['output alone', { stdout: out, tty: false }, { ...none, stdout: true, tty: false }],
  ['input alone', { stdin, tty: false }, { ...none, stdin: true, tty: false }],
  ['errors alone', { stderr: out, tty: false }, { ...none, stderr: true, tty: false }],
  ['none: CRI wants one', { tty: false }, { ...none, stdout: true, tty: false }],
  [
    'a terminal has no errors of its own',
    { stdin, stdout: out, stderr: out, tty: true },
    { ...none, stdin: true, stdout: true, tty: true },
  ],
  ['errors alone of a terminal: CRI wants one', { stderr: out, tty: true }, { ...none, stdout: true, tty: true }],
] as const)
  test(`streams of a command: ${name}`, () => assert.deepEqual(wantedStreams(io), wanted));

test('how a command ended', () => {
  assert.equal(exitCodeOf({ kind: 'success' }), 0);
  assert.equal(exitCodeOf({ kind: 'exit', exitCode: 137, message: 'killed' }), 137);
  assert.throws(
    () => exitCodeOf({ kind: 'failure', message: 'the connection was lost' }),
    (error: Error) => error instanceof RuntimeError && error.cause instanceof StreamCutError,
  );
});
