import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LogLines } from './log-lines.ts';

const T1 = '2026-11-22T10:00:00.000000001Z';
const T2 = '2026-11-22T10:00:00.000000002Z';

function read(chunks: readonly string[]): string[] {
  const lines = new LogLines('stdout');
  const all = [...chunks.flatMap((chunk) => lines.take(Buffer.from(chunk))), ...lines.end()];
  return all.map(({ bytes }) => Buffer.from(bytes).toString());
}

describe("Docker's log as a CRI log", () => {
  const long = 'x'.repeat(16 << 10);
  for (const { name, told, wanted } of [
    { name: 'a line', told: `${T1} hello\n`, wanted: [`${T1} stdout F hello\n`] },
    { name: 'an empty line', told: `${T1} \n`, wanted: [`${T1} stdout F \n`] },
    { name: 'two lines', told: `${T1} a b\n${T2} c\n`, wanted: [`${T1} stdout F a b\n`, `${T2} stdout F c\n`] },
    { name: 'a last line without an end', told: `${T1} prompt$ `, wanted: [`${T1} stdout P prompt$ \n`] },
    {
      name: 'a long line comes in parts, each with its time',
      told: `${T1} ${long}${T2} rest\n`,
      wanted: [`${T1} stdout P ${long}\n`, `${T2} stdout F rest\n`],
    },
    { name: 'a line of just the length of a part', told: `${T1} ${long}\n`, wanted: [`${T1} stdout F ${long}\n`] },
  ]) {
    test(name, () => {
      assert.deepEqual(read([told]), wanted);
      assert.deepEqual(read(told.split('')), wanted);
    });
  }
});
