import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeOutcome, encodeOutcome, statusOfOutcome } from './session.ts';
import type { CommandOutcome, CommandStreams } from './session.ts';
import { commandStreamTypes } from './spdy-session.ts';

describe('how a command ended, as a Status', () => {
  const rows: readonly (readonly [name: string, outcome: CommandOutcome, status: object])[] = [
    ['well', { kind: 'success' }, { metadata: {}, status: 'Success' }],
    [
      'with a code',
      { kind: 'exit', exitCode: 137, message: 'command terminated with exit code 137' },
      {
        metadata: {},
        status: 'Failure',
        message: 'command terminated with non-zero exit code: command terminated with exit code 137',
        reason: 'NonZeroExitCode',
        details: { causes: [{ reason: 'ExitCode', message: '137' }] },
      },
    ],
    [
      'nobody knows how',
      { kind: 'failure', message: 'gone' },
      {
        metadata: {},
        status: 'Failure',
        message: 'Internal error occurred: gone',
        reason: 'InternalError',
        details: { causes: [{ message: 'gone' }] },
        code: 500,
      },
    ],
  ];
  for (const [name, outcome, status] of rows) test(name, () => assert.deepEqual(statusOfOutcome(outcome), status));

  test('what is written is read back, before v4 in words', () => {
    const text = (outcome: CommandOutcome, version: number): string =>
      new TextDecoder().decode(encodeOutcome(outcome, version));
    assert.equal(decodeOutcome(text({ kind: 'success' }, 4)).kind, 'success');
    const exit = decodeOutcome(text({ kind: 'exit', exitCode: 3, message: 'm' }, 5));
    assert.equal(exit.kind === 'exit' && exit.exitCode, 3);
    assert.deepEqual([text({ kind: 'success' }, 3), decodeOutcome('').kind], ['', 'success']);
    assert.equal(text({ kind: 'failure', message: 'm' }, 1), 'Internal error occurred: m');
  });
});

describe('the streams that a client opens', () => {
  const wish = (text: string): CommandStreams => ({
    stdin: text.includes('i'),
    stdout: text.includes('o'),
    stderr: text.includes('e'),
    tty: text.includes('t'),
  });
  const rows: readonly (readonly [wishes: string, version: number, types: string])[] = [
    ['', 4, 'error'],
    ['o', 4, 'error stdout'],
    ['ioe', 4, 'error stdin stdout stderr'],
    ['iot', 4, 'error stdin stdout resize'],
    ['iot', 3, 'error stdin stdout resize'],
    ['iot', 2, 'error stdin stdout'],
    ['ioet', 4, 'error stdin stdout resize'],
    ['ioet', 1, 'error stdin stdout'],
    ['t', 5, 'error resize'],
  ];
  for (const [wishes, version, types] of rows) {
    test(`${wishes === '' ? 'nothing' : wishes} in v${version}`, () => {
      assert.deepEqual(commandStreamTypes(wish(wishes), { version }), types.split(' '));
    });
  }
});
