import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSeededRandom } from '@binnacle/base';
import { StatusError } from '@binnacle/machinery';
import type { Call } from '../catalogue/definition.ts';
import { parseQuery } from '../request/query.ts';
import { planOf } from './watch-plan.ts';
import type { WatchPlan } from './watch-plan.ts';

const served = { info: { namespaced: true }, fields: {}, stored: {}, selectsViews: false };

function plan(query: string): WatchPlan {
  const call = { served, info: { namespace: 'a', name: '', legacyWatch: false }, query: parseQuery(query) };
  return planOf(call as unknown as Call, { now: 50, random: createSeededRandom(1) });
}

describe('where a watch begins', () => {
  type Shape = Pick<WatchPlan, 'snapshot' | 'fresh' | 'from' | 'marksEnd' | 'bookmarks'>;
  const LATER: Shape = { snapshot: false, fresh: false, from: 7, marksEnd: false, bookmarks: false };
  const NOW: Shape = { snapshot: true, fresh: true, from: 50, marksEnd: false, bookmarks: false };
  const initial = (more: string): string => `resourceVersionMatch=NotOlderThan${more}`;
  const rows: readonly (readonly [query: string, shape: Shape])[] = [
    ['', NOW],
    ['resourceVersion=0', { ...NOW, fresh: false }],
    ['resourceVersion=7', LATER],
    ['resourceVersion=7&allowWatchBookmarks=true', { ...LATER, bookmarks: true }],
    [initial('&sendInitialEvents=true'), { ...NOW, marksEnd: true }],
    [initial('&sendInitialEvents=true&resourceVersion=0'), { ...NOW, fresh: false, marksEnd: true }],
    [initial('&sendInitialEvents=true&resourceVersion=7'), { ...LATER, snapshot: true, marksEnd: true }],
    [initial('&sendInitialEvents=false'), { ...NOW, snapshot: false }],
    [initial('&sendInitialEvents=false&resourceVersion=7'), LATER],
  ];
  for (const [query, shape] of rows) {
    test(query === '' ? 'nothing said' : query, () => {
      const { snapshot, fresh, from, marksEnd, bookmarks } = plan(query);
      assert.deepEqual({ snapshot, fresh, from, marksEnd, bookmarks }, shape);
    });
  }
});

test('how long a watch lasts', () => {
  assert.equal(plan('timeoutSeconds=5').timeoutMs, 5000);
  for (const query of ['', 'timeoutSeconds=0', 'timeoutSeconds=-1', 'timeoutSeconds=']) {
    const { timeoutMs } = plan(query);
    assert.ok(timeoutMs >= 1_800_000 && timeoutMs < 3_600_000, `${query}: ${timeoutMs}`);
  }
});

describe('watches that cannot be asked for', () => {
  const invalid = (why: string): string => `422 ListOptions.meta.k8s.io "" is invalid: ${why}`;
  const match = 'resourceVersionMatch: Forbidden: ';
  const needs = `${match}sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`;
  const alone = `${match}resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`;
  const unknown = 'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"';
  const rows: readonly (readonly [query: string, wanted: string])[] = [
    ['sendInitialEvents=true', invalid(needs)],
    ['sendInitialEvents=false', invalid(needs)],
    ['sendInitialEvents=true&resourceVersionMatch=Exact', invalid(`[${needs}, ${unknown}]`)],
    ['resourceVersionMatch=NotOlderThan', invalid(alone)],
    ['resourceVersionMatch=Exact', invalid(`[${alone}, ${unknown}]`)],
    [
      'resourceVersionMatch=NotOlderThan&sendInitialEvents=1&continue=x',
      invalid(`${match}resourceVersionMatch is forbidden when continue is provided`),
    ],
    ['resourceVersion=-1', '500 resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax'],
    ['resourceVersion=abc&timeoutSeconds=1s', '400 strconv.ParseInt: parsing "1s": invalid syntax'],
    ['resourceVersion=abc&fieldSelector=spec.x=1', '400 field label not supported: spec.x'],
    ['timeoutSeconds=1s', '400 strconv.ParseInt: parsing "1s": invalid syntax'],
    ['fieldSelector=spec.x=1', '400 field label not supported: spec.x'],
  ];
  for (const [query, wanted] of rows) {
    test(query, () => {
      assert.throws(
        () => plan(query),
        (error) => error instanceof StatusError && `${error.status.code} ${error.message}` === wanted,
      );
    });
  }
});
