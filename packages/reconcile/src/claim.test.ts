import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { selectorFromSet } from '@binnacle/machinery';
import type { ObjectMeta } from '@binnacle/machinery';
import { decideClaim } from './claim.ts';

const owner = { metadata: { name: 'o', uid: 'me' } };
const controlledBy = (uid: string) => ({
  ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid, controller: true }],
});
const MATCH = { labels: { app: 'web' } };
const LEAVING = { deletionTimestamp: '2026-01-01T00:00:00Z' };

const rows: { name: string; object: ObjectMeta; leaving?: boolean; is: 'owned' | 'adopt' | 'release' | 'nothing' }[] = [
  { name: 'mine', object: { ...MATCH, ...controlledBy('me') }, is: 'owned' },
  { name: 'mine, does not match', object: controlledBy('me'), is: 'release' },
  { name: "another's", object: { ...MATCH, ...controlledBy('you') }, is: 'nothing' },
  { name: "nobody's, matches", object: MATCH, is: 'adopt' },
  { name: "nobody's, does not match", object: {}, is: 'nothing' },
  { name: "nobody's, matches, going", object: { ...MATCH, ...LEAVING }, is: 'nothing' },
  { name: 'mine, does not match, I am going', object: controlledBy('me'), leaving: true, is: 'nothing' },
  { name: 'mine, I am going', object: { ...MATCH, ...controlledBy('me') }, leaving: true, is: 'owned' },
  { name: "nobody's, matches, I am going", object: MATCH, leaving: true, is: 'nothing' },
];
for (const row of rows) {
  test(`claim: ${row.name}`, () => {
    const me = row.leaving === true ? { metadata: { ...owner.metadata, ...LEAVING } } : owner;
    const object = { metadata: row.object };
    const claim = decideClaim(me, selectorFromSet({ app: 'web' }), [object]);
    const { owned, adopt, release } = claim;
    const of = (is: string): unknown[] => (row.is === is ? [object] : []);
    assert.deepEqual({ owned, adopt, release }, { owned: of('owned'), adopt: of('adopt'), release: of('release') });
  });
}
