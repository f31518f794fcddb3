import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Entry } from './entry.ts';
import { cacheEvent } from './event.ts';
import type { Selection } from './selection.ts';
import { itemOf, selects } from './transition.ts';

function entry(namespace: string, app: string): Entry {
  return { namespace, name: 'x', key: `${namespace}/x`, object: { metadata: { labels: { app } } } } as unknown as Entry;
}

function selecting(app?: string, namespace = ''): Selection {
  return {
    namespace,
    key: undefined,
    indexed: undefined,
    narrowed: app !== undefined,
    matches: ({ object }) => object.metadata.labels?.['app'] === app,
  };
}

const web = entry('a', 'web');
const db = entry('a', 'db');

describe('what a change is for one selection', () => {
  type Row = readonly [
    name: string,
    before: Entry | undefined,
    after: Entry | undefined,
    selection: Selection,
    told: readonly [type: string, entry: Entry] | undefined,
  ];
  const rows: readonly Row[] = [
    ['new', undefined, web, selecting('web'), ['ADDED', web]],
    ['new, and not selected', undefined, db, selecting('web'), undefined],
    ['changed', web, web, selecting('web'), ['MODIFIED', web]],
    ['comes to match', db, web, selecting('web'), ['ADDED', web]],
    ['ceases to match: as it was', web, db, selecting('web'), ['DELETED', web]],
    ['never matched', db, db, selecting('web'), undefined],
    ['gone', web, undefined, selecting('web'), ['DELETED', web]],
    ['gone, and was not selected', db, undefined, selecting('web'), undefined],
    ['nothing before and nothing after', undefined, undefined, selecting(), undefined],
    ['all', db, web, selecting(), ['MODIFIED', web]],
    ['of another namespace', db, web, selecting(undefined, 'b'), undefined],
  ];
  for (const [name, before, after, selection, told] of rows) {
    test(name, () => {
      const event = cacheEvent(7, before, after);
      const item = itemOf(event, selection);
      if (told === undefined) return assert.equal(item, undefined);
      assert.deepEqual(item, { type: told[0], entry: told[1], revision: 7, event });
      return undefined;
    });
  }
});

describe('whether an object is selected', () => {
  const rows: readonly (readonly [name: string, selection: Selection, selected: boolean])[] = [
    ['by all', selecting(), true],
    ['in its namespace', selecting(undefined, 'a'), true],
    ['in a namespace that begins like it', selecting(undefined, 'aa'), false],
    ['by its label', selecting('web'), true],
    ['by its label in another namespace', selecting('web', 'b'), false],
    ['by another label in its namespace', selecting('db', 'a'), false],
  ];
  for (const [name, selection, selected] of rows) test(name, () => assert.equal(selects(selection, web), selected));

  test('nobody looks into an object that need not be looked into', () => {
    const blind = { ...selecting(), matches: () => assert.fail('looked into it') };
    assert.equal(selects(blind, web), true);
    assert.equal(selects({ ...blind, narrowed: true, namespace: 'b' }, web), false);
  });
});
