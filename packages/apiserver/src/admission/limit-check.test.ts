import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LimitRangeItem } from '@binnacle/api/core/v1';
import { findLimitProblems } from './limit-check.ts';
import type { Amounts } from './limit-check.ts';

describe('bounds of one item', () => {
  const rows: readonly (readonly [string, Partial<LimitRangeItem>, Amounts, readonly string[]])[] = [
    [
      'no request under a minimum',
      { min: { cpu: '1' } },
      {},
      ['minimum cpu usage per Container is 1.  No request is specified'],
    ],
    [
      'no limit under a maximum',
      { max: { cpu: '1' } },
      { requests: { cpu: '1' } },
      ['maximum cpu usage per Container is 1.  No limit is specified'],
    ],
    [
      'the limit below the minimum',
      { min: { cpu: '1' } },
      { requests: { cpu: '1' }, limits: { cpu: '900m' } },
      ['minimum cpu usage per Container is 1, but limit is 900m'],
    ],
    [
      'the request above the maximum',
      { max: { cpu: '1' } },
      { requests: { cpu: '2' }, limits: { cpu: '1' } },
      ['maximum cpu usage per Container is 1, but request is 2'],
    ],
    [
      'a ratio of nothing',
      { maxLimitRequestRatio: { cpu: '2' } },
      { limits: { cpu: '1' } },
      ['cpu max limit to request ratio per Container is 2, but no request is specified or request is 0'],
    ],
    [
      'a ratio to nothing',
      { maxLimitRequestRatio: { cpu: '2' } },
      { requests: { cpu: '1' } },
      ['cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0'],
    ],
    [
      'exactly at the bounds',
      { min: { cpu: '1000m' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '2' } },
      { requests: { cpu: '1' }, limits: { cpu: '2000m' } },
      [],
    ],
  ];
  for (const [name, item, amounts, problems] of rows) {
    test(name, () => assert.deepEqual(findLimitProblems({ type: 'Container', ...item }, amounts), problems));
  }
});
