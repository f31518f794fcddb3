import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expand } from './expand.ts';

const known: { readonly [name: string]: string } = { A: 'a', EMPTY: '', B: '$(A)' };

const rows: readonly [string, string, string][] = [
  ['plain text', 'text', 'text'],
  ['known', '$(A)-$(A)', 'a-a'],
  ['known and empty', 'x$(EMPTY)y', 'xy'],
  ['unknown stays', '$(NO)', '$(NO)'],
  ['escaped', '$$(A)', '$(A)'],
  ['two dollars', '$$', '$'],
  ['three dollars', '$$$(A)', '$a'],
  ['lone dollar at the end', 'a$', 'a$'],
  ['dollar before another letter', '$x$(A)', '$xa'],
  ['never closed', '$(A', '$(A'],
  ['a value is not expanded again', '$(B)', '$(A)'],
];

for (const [name, input, wanted] of rows) {
  test(`expand: ${name}`, () =>
    assert.equal(
      expand(input, (key) => known[key]),
      wanted,
    ));
}
