import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeVerbosity } from './verbosity-flag.ts';

const rows: readonly [method: string, value: string, code: number, text: string, verbosity: number][] = [
  ['PUT', '4', 200, 'successfully set klog.logging.verbosity to 4', 4],
  ['PUT', '0', 200, 'successfully set klog.logging.verbosity to 0', 0],
  ['PUT', '010', 200, 'successfully set klog.logging.verbosity to 010', 10],
  ['PUT', '2147483647', 200, 'successfully set klog.logging.verbosity to 2147483647', 2147483647],
  [
    'PUT',
    '2147483648',
    400,
    'failed set klog.logging.verbosity 2147483648: strconv.ParseInt: parsing "2147483648": value out of range',
    1,
  ],
  ['PUT', '4294967296', 400, 'strconv.ParseUint: parsing "4294967296": value out of range', 1],
  ['PUT', '9'.repeat(500), 400, `strconv.ParseUint: parsing "${'9'.repeat(80)}": value out of range`, 1],
  ['PUT', '', 400, 'strconv.ParseUint: parsing "": invalid syntax', 1],
  ['PUT', '-1', 400, 'strconv.ParseUint: parsing "-1": invalid syntax', 1],
  ['PUT', '+1', 400, 'strconv.ParseUint: parsing "+1": invalid syntax', 1],
  ['PUT', '4\n', 400, 'strconv.ParseUint: parsing "4\\n": invalid syntax', 1],
  ['PUT', '1e2', 400, 'strconv.ParseUint: parsing "1e2": invalid syntax', 1],
  ['GET', '4', 406, 'unsupported http method', 1],
  ['POST', '4', 406, 'unsupported http method', 1],
];
for (const [method, value, code, text, verbosity] of rows)
  test(`${method} of ${JSON.stringify(value.slice(0, 20))}`, async () => {
    const level = { verbosity: 1 };
    const answer = await changeVerbosity(level, { method, text: async () => value });
    assert.deepEqual([answer, level.verbosity], [{ code, text: `${text}\n` }, verbosity]);
  });
