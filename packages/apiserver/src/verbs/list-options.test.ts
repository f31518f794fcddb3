import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StatusError } from '@binnacle/machinery';
import { parseQuery } from '../request/query.ts';
import { encodeToken } from './continue-token.ts';
import { listOptions } from './list-options.ts';
import type { ListOptions } from './list-options.ts';

const TOKEN = encodeToken({ revision: 5, after: 'a/b' });
const ALL: ListOptions = { limit: 0, continue: '', resourceVersion: '', match: '' };

function outcome(query: string): ListOptions | string {
  try {
    return listOptions({ query: parseQuery(query) });
  } catch (error) {
    if (error instanceof StatusError) return `${error.status.code} ${error.message}`;
    throw error;
  }
}

describe('what of a list is asked for', () => {
  const rows: readonly (readonly [query: string, wanted: Partial<ListOptions>])[] = [
    ['', {}],
    ['limit=10', { limit: 10 }],
    ['limit=0', {}],
    ['limit=-3', {}],
    ['limit=', {}],
    [`limit=10&continue=${TOKEN}`, { limit: 10, continue: TOKEN }],
    ['resourceVersion=7', { resourceVersion: 7 }],
    ['resourceVersion=0', { resourceVersion: 0 }],
    ['resourceVersion=0&limit=10', { resourceVersion: 0 }],
    [`resourceVersion=0&limit=10&continue=${TOKEN}`, { resourceVersion: 0, limit: 10, continue: TOKEN }],
    ['resourceVersion=7&resourceVersionMatch=Exact&limit=1', { resourceVersion: 7, match: 'Exact', limit: 1 }],
    ['resourceVersion=0&resourceVersionMatch=NotOlderThan', { resourceVersion: 0, match: 'NotOlderThan' }],
  ];
  for (const [query, wanted] of rows) {
    test(query === '' ? 'everything' : query.replace(TOKEN, 'TOKEN'), () => {
      assert.deepEqual(outcome(query), { ...ALL, ...wanted });
    });
  }
});

describe('lists that cannot be asked for', () => {
  const invalid = (why: string): string => `422 ListOptions.meta.k8s.io "" is invalid: ${why}`;
  const unversioned =
    'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided';
  const beside = 'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided';
  const unknown = 'resourceVersionMatch: Unsupported value: "x": supported values: "Exact", "NotOlderThan", ""';
  const initial = 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list';
  const rows: readonly (readonly [query: string, wanted: string])[] = [
    ['resourceVersionMatch=Exact', invalid(unversioned)],
    ['resourceVersionMatch=x&resourceVersion=1', invalid(unknown)],
    ['resourceVersionMatch=x', invalid(`[${unversioned}, ${unknown}]`)],
    [
      `resourceVersionMatch=x&continue=${TOKEN}&sendInitialEvents=false`,
      invalid(`[${unversioned}, ${beside}, ${unknown}, ${initial}]`),
    ],
    [`resourceVersionMatch=NotOlderThan&resourceVersion=0&continue=${TOKEN}`, invalid(beside)],
    [
      'resourceVersionMatch=Exact&resourceVersion=0',
      invalid('resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
    ],
    ['sendInitialEvents=true', invalid(initial)],
    [`resourceVersion=7&continue=${TOKEN}`, '400 specifying resource version is not allowed when using continue'],
    [
      'resourceVersion=7&continue=%25',
      '400 invalid continue token: continue key is not valid: illegal base64 data at input byte 0',
    ],
    [
      'resourceVersion=x',
      '400 invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    ],
    ['limit=ten', '400 strconv.ParseInt: parsing "ten": invalid syntax'],
  ];
  for (const [query, wanted] of rows) {
    test(query.replace(TOKEN, 'TOKEN'), () => assert.equal(outcome(query), wanted));
  }
});
