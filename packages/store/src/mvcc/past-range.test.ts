import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DamagedValueError } from '../errors.ts';
import type { RangeResult } from '../ports.ts';
import type { Entry } from './entry.ts';
import { DAMAGED } from './entry.ts';
import { readOne } from './past-range.ts';

const value = new Uint8Array([1, 2]);
const whole: Entry = { key: 'a', value, createRevision: 3, modRevision: 5, version: 2, lease: 0, position: 9 };
const damaged: Entry = { ...whole, value: DAMAGED };

const ROWS: readonly {
  readonly name: string;
  readonly entry: Entry | undefined;
  readonly only?: 'keysOnly' | 'countOnly';
  readonly want: Pick<RangeResult, 'kvs' | 'count'>;
}[] = [
  { name: 'a key that is not there', entry: undefined, want: { kvs: [], count: 0 } },
  { name: 'a key, whole', entry: whole, want: { kvs: [whole], count: 1 } },
  { name: 'only whether it is there', entry: whole, only: 'countOnly', want: { kvs: [], count: 1 } },
  {
    name: 'whether one is there whose value is damaged',
    entry: damaged,
    only: 'countOnly',
    want: { kvs: [], count: 1 },
  },
  {
    name: 'without its value',
    entry: damaged,
    only: 'keysOnly',
    want: { kvs: [{ ...whole, value: new Uint8Array(0) }], count: 1 },
  },
];

for (const { name, entry, only, want } of ROWS) {
  test(`one key: ${name}`, () => {
    const request = only === undefined ? { key: 'a' } : { key: 'a', [only]: true };
    assert.deepEqual(readOne(entry, request, 7), { ...want, revision: 7, more: false });
  });
}

test('a value that is damaged is not given', () => {
  assert.throws(() => readOne(damaged, { key: 'a' }, 7), DamagedValueError);
});
