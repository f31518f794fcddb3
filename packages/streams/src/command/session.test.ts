import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDuplexPair } from '@binnacle/base';
import { decodeOutcome, encodeOutcome, encodeSize, readSizes } from './session.ts';
import type { CommandOutcome } from './session.ts';

const EXIT: CommandOutcome = { kind: 'exit', exitCode: 3, message: 'error executing command [x], exit code 3' };
const FAILURE: CommandOutcome = { kind: 'failure', message: 'error executing command in container: no such file' };
const text = (data: Uint8Array): string => new TextDecoder().decode(data);

test('outcomes in the words of upstream', () => {
  assert.equal(text(encodeOutcome({ kind: 'success' }, 4)), '{"metadata":{},"status":"Success"}');
  assert.deepEqual(JSON.parse(text(encodeOutcome(EXIT, 5))), {
    metadata: {},
    status: 'Failure',
    message: 'command terminated with non-zero exit code: error executing command [x], exit code 3',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: '3' }] },
  });
  assert.deepEqual(JSON.parse(text(encodeOutcome(FAILURE, 4))), {
    metadata: {},
    status: 'Failure',
    message: 'Internal error occurred: error executing command in container: no such file',
    reason: 'InternalError',
    details: { causes: [{ message: 'error executing command in container: no such file' }] },
    code: 500,
  });
  assert.equal(text(encodeOutcome({ kind: 'success' }, 3)), '');
  assert.match(text(encodeOutcome(EXIT, 1)), /^command terminated with non-zero exit code: /);
});

for (const outcome of [{ kind: 'success' } as const, EXIT, FAILURE]) {
  test(`${outcome.kind} is read as it was written`, () => {
    assert.deepEqual(decodeOutcome(text(encodeOutcome(outcome, 4))), outcome);
  });
}

const ODD: readonly [text: string, kind: CommandOutcome['kind']][] = [
  ['', 'success'],
  ['words', 'failure'],
  ['null', 'failure'],
  ['[]', 'failure'],
  ['{"status":"Failure","reason":"NonZeroExitCode"}', 'failure'],
  ['{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":"x"}}', 'failure'],
  [
    '{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"x"}]}}',
    'failure',
  ],
];

for (const [words, kind] of ODD)
  test(`an outcome of ${words || 'nothing'} is a ${kind}`, () => {
    assert.equal(decodeOutcome(words).kind, kind);
  });

test('sizes come out of any pieces; what is none is passed over', async () => {
  const [near, far] = createDuplexPair();
  const pieces = ['{"Width":8', '0,"Height":24}{"Width":0,"Height":1}', '}{"x":1}', ' {"Width":"9","Height":9}', '\n'];
  for (const piece of pieces) await near.write(new TextEncoder().encode(piece));
  await near.write(new Uint8Array(10_000).fill(0x20));
  await near.write(encodeSize({ width: 100, height: 40 }));
  await near.end();
  const sizes = [];
  for await (const size of readSizes(far)) sizes.push(size);
  assert.deepEqual(sizes, [
    { width: 80, height: 24 },
    { width: 100, height: 40 },
  ]);
});

test('of very many sizes at once the last ones count: megabytes of them hold up nobody', async () => {
  const [near, far] = createDuplexPair({ highWaterBytes: 2 ** 24 });
  await near.write(new Uint8Array(2 ** 22).fill(0x7d));
  await near.write(new TextEncoder().encode('{"Width":1,"Height":1}'.repeat(10_000)));
  await near.write(encodeSize({ width: 100, height: 40 }));
  await near.end();
  const sizes = [];
  for await (const size of readSizes(far)) sizes.push(size);
  assert.deepEqual(sizes.at(-1), { width: 100, height: 40 });
  assert.ok(sizes.length < 200, `${sizes.length} of 10,001`);
});
