import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery } from '../request/query.ts';
import { selectionOfNames } from './select-names.ts';

const ROWS: readonly [query: string, taken: string[]][] = [
  ['', ['a', 'b']],
  ['fieldSelector=metadata.name%3Da', ['a']],
  ['fieldSelector=metadata.name%21%3Da', ['b']],
  ['labelSelector=x%3Dy', []],
  ['labelSelector=%21x', ['a', 'b']],
  ['labelSelector=%21x&fieldSelector=metadata.name%3Db', ['b']],
];

for (const [query, taken] of ROWS) {
  test(`names that "${query}" takes`, () => {
    assert.deepEqual(['a', 'b'].filter(selectionOfNames(parseQuery(query))), taken);
  });
}

for (const query of ['fieldSelector=spec.steps%3D1', 'fieldSelector=a', 'labelSelector=%28']) {
  test(`refused: ${query}`, () => {
    assert.throws(() => selectionOfNames(parseQuery(query)), { httpCode: 400 });
  });
}
