import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { fieldPath } from '../../../validation/path.ts';
import { Warnings } from '../../../validation/warnings.ts';
import { hasFractions, warnOfFractions } from './amounts.ts';

const BYTES = ['memory', 'ephemeral-storage'];

const ROWS: readonly [name: string, amounts: object | undefined, maybe: boolean, warnings: number][] = [
  ['nothing', undefined, false, 0],
  ['none of these resources', { cpu: '100m' }, false, 0],
  ['whole bytes', { memory: '128Mi', 'ephemeral-storage': '1000' }, false, 0],
  ['a number', { memory: 5 }, false, 0],
  ['half a byte', { memory: '500m' }, true, 1],
  ['both', { memory: '1.5', 'ephemeral-storage': '100u' }, true, 2],
  ['whole after all', { memory: '1.5Gi' }, true, 0],
  ['a million, in another way', { memory: '1e6' }, true, 0],
  ['of a prototype', Object.create({ memory: '500m' }) as object, false, 0],
];

for (const [name, amounts, maybe, count] of ROWS) {
  test(`parts of bytes: ${name}`, () => {
    equal(hasFractions(amounts, BYTES), maybe);
    const warnings = new Warnings();
    warnOfFractions(amounts, { resources: BYTES, path: fieldPath('spec'), warnings });
    equal(warnings.texts.length, count);
    deepEqual(count > 0 && !maybe, false, 'who finds none has none to tell of');
  });
}
