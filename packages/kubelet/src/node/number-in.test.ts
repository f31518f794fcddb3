import { equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { PathError } from '../errors.ts';
import { numberIn } from './number-in.ts';

void test('a number is read where the pattern says', () => {
  equal(numberIn(/^btime (\d+)$/m, 'cpu 1 2\nbtime 1700000000\n'), 1_700_000_000);
});

void test('what is not there is said', () => {
  throws(() => numberIn(/^btime (\d+)$/m, 'cpu 1 2\n'), PathError);
});
