import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery, Query } from './query.ts';
import { queryTextOf, uriOf } from './uri.ts';

const ROWS: readonly [name: string, query: Query, queryText: string | undefined, told: string][] = [
  ['no query', parseQuery(''), '', ''],
  ['as it came, repeated ones too', parseQuery('a=1&a=2&b'), 'a=1&a=2&b', 'a=1&a=2&b'],
  ['an empty one that did not come as text', new Query({}), undefined, ''],
  [
    'one that did not come as text',
    new Query({ fieldManager: 'a b', watch: 'true' }),
    undefined,
    'fieldManager=a+b&watch=true',
  ],
];

for (const [name, query, queryText, told] of ROWS) {
  test(`the text of a query: ${name}`, () => {
    assert.equal(queryTextOf({ query, ...(queryText === undefined ? {} : { queryText }) }), told);
  });
}

test('a URI has all values of a repeated parameter, and no mark without one', () => {
  const asked = { path: '/api/v1/pods', query: parseQuery('a=1&b=x%20y&a=2') } as Parameters<typeof uriOf>[0];
  assert.equal(uriOf(asked), '/api/v1/pods?a=1&a=2&b=x+y');
  assert.equal(uriOf({ ...asked, query: new Query({}) }), '/api/v1/pods');
});
