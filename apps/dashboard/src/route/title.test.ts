import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { english } from '../texts/english.ts';
import { korean } from '../texts/korean.ts';
import { parseRoute } from './route.ts';
import { titleOf } from './title.ts';

const ROWS: readonly (readonly [address: string, kind: string, title: string])[] = [
  ['/', '', 'Overview · Binnacle'],
  ['/pauses', '', 'Step and pause · Binnacle'],
  ['/topology?ns=a', '', 'Topology · a · Binnacle'],
  ['/lessons', '', 'Lessons · Binnacle'],
  ['/lessons/a-node-that-dies', '', 'a-node-that-dies · Lessons · Binnacle'],
  ['/new/core/v1/pods?ns=a', 'Pod', 'Create · Pod · Binnacle'],
  ['/r/core/v1/pods', 'Pod', 'Pod · Binnacle'],
  ['/r/core/v1/pods?ns=a&q=b', 'Pod', 'a · Pod · Binnacle'],
  ['/r/core/v1/pods/default/web', 'Pod', 'web · Pod · Binnacle'],
  ['/r/core/v1/pods/default/web/why', 'Pod', 'web · Why · Pod · Binnacle'],
  ['/r/core/v1/pods/default/web/nonsense', 'Pod', 'web · Pod · Binnacle'],
  [`/lessons/${'x'.repeat(99)}`, '', `${'x'.repeat(80)} · Lessons · Binnacle`],
  [`/r/core/v1/pods?ns=${'x'.repeat(99)}`, 'Pod', `${'x'.repeat(80)} · Pod · Binnacle`],
  [`/r/core/v1/pods/default/${'x'.repeat(99)}`, 'Pod', `${'x'.repeat(80)} · Pod · Binnacle`],
];

for (const [address, kind, title] of ROWS) {
  test(`${address.slice(0, 60)} is called ${title.slice(0, 60)}`, () => {
    const { pathname, search } = new URL(address, 'http://a');
    equal(titleOf(parseRoute(pathname, search), english, kind), title);
  });
}

test('in the language that is shown, and with nothing in a name that is hidden or turned', () => {
  equal(titleOf(parseRoute('/', ''), korean), `${korean.overview} · Binnacle`);
  const turned = titleOf(parseRoute('/r/core/v1/pods/default/a%E2%80%AEb', ''), english, 'Pod');
  equal(turned.includes('\u202e'), false);
});
