import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disjointPorts, disjointRanges } from './disjoint.ts';

test('ranges of addresses that do not overlap', () => {
  const rows: readonly (readonly [name: string, given: readonly string[], wanted: readonly string[]])[] = [
    ['one inside of another', ['10.1.0.0/16', '10.0.0.0/8'], ['10.0.0.0/8']],
    ['the same twice', ['10.0.0.0/8', '10.0.0.0/8'], ['10.0.0.0/8']],
    ['bits beyond the prefix', ['10.0.0.9/8', '10.0.0.1/32'], ['10.0.0.0/8']],
    ['neighbours', ['10.1.0.0/16', '10.0.0.0/16'], ['10.0.0.0/16', '10.1.0.0/16']],
    ['same start', ['10.0.0.0/16', '10.0.0.0/8', '10.0.0.0/24'], ['10.0.0.0/8']],
    ['after a hole', ['10.0.0.0/16', '11.0.0.0/8', '10.0.9.0/24'], ['10.0.0.0/16', '11.0.0.0/8']],
    ['IPv6', ['fd00::/16', 'fd00:1::/32', 'fe80::/10'], ['fd00::/16', 'fe80::/10']],
    ['no range at all', ['ten', ''], []],
  ];
  for (const [name, given, wanted] of rows) assert.deepEqual(disjointRanges(given), wanted, name);
});

test('ranges of ports that do not overlap', () => {
  const range = (from: number, to = from) => ({ from, to });
  const rows: readonly (readonly [string, readonly { from: number; to: number }[], readonly string[]])[] = [
    ['single ones', [range(443), range(80)], ['80', '443']],
    ['overlapping', [range(80, 90), range(85, 100)], ['80-100']],
    ['touching', [range(80), range(81), range(82)], ['80-82']],
    ['one inside of another', [range(1, 100), range(5, 7), range(99, 101)], ['1-101']],
    ['upside down', [range(9, 8)], []],
  ];
  for (const [name, given, wanted] of rows) assert.deepEqual(disjointPorts(given), wanted, name);
});
