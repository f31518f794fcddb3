import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { silenceOf } from './silence.ts';
import type { Heard } from './silence.ts';

const NONE: Heard = { shown: 0, filter: '', errors: new Map() };
const ROWS: readonly (readonly [what: string, heard: Heard, silence: ReturnType<typeof silenceOf>])[] = [
  ['a container that wrote nothing', NONE, 'silentLog'],
  ['lines', { ...NONE, shown: 1 }, undefined],
  ['none that fits', { ...NONE, filter: 'x' }, 'noLineFits'],
  ['what is refused says so itself', { ...NONE, errors: new Map([[0, 'waiting to start']]) }, undefined],
  ['also where there is a filter', { ...NONE, filter: 'x', errors: new Map([[0, 'no']]) }, undefined],
];
for (const [what, heard, silence] of ROWS)
  test(`an empty log says why: ${what}`, () => equal(silenceOf(heard), silence));
