import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { OwnerReference } from '@binnacle/machinery';
import type { StatefulSet } from '@binnacle/api/apps/v1';
import type { PersistentVolumeClaim, Pod } from '@binnacle/api/core/v1';
import { claimFate, hasConflictingOwner, isStaleClaim, withFate } from './claims.ts';
import { ordinalOf } from './identity.ts';

type Policy = NonNullable<StatefulSet['spec']['persistentVolumeClaimRetentionPolicy']>;
const set = (policy?: Policy, name = 'db'): StatefulSet => ({
  metadata: { name, uid: 'set' },
  spec: {
    selector: {},
    serviceName: 'db',
    template: { metadata: {}, spec: { containers: [] } },
    ...(policy === undefined ? {} : { persistentVolumeClaimRetentionPolicy: policy }),
  },
});
const pod: Pod = { metadata: { name: 'db-1', uid: 'pod' }, spec: { containers: [] }, status: {} };

for (const [name, policy, wanted, condemned] of [
  ['nothing is said', undefined, 'nobody', 'nobody'],
  ['both kept', { whenDeleted: 'Retain', whenScaled: 'Retain' }, 'nobody', 'nobody'],
  ['with the set', { whenDeleted: 'Delete', whenScaled: 'Retain' }, 'set', 'set'],
  ['when scaled away', { whenDeleted: 'Retain', whenScaled: 'Delete' }, 'nobody', 'pod'],
  ['both', { whenDeleted: 'Delete', whenScaled: 'Delete' }, 'set', 'pod'],
  ['one is left open', { whenScaled: 'Delete' }, 'nobody', 'pod'],
] as const)
  test(`with whom a claim goes: ${name}`, () => {
    assert.deepEqual([claimFate(set(policy), false), claimFate(set(policy), true)], [wanted, condemned]);
  });

const owner = (kind: string, name: string, uid: string, controller = false): OwnerReference => ({
  apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1',
  kind,
  name,
  uid,
  ...(controller ? { controller } : {}),
});
const claim = (...ownerReferences: readonly OwnerReference[]): PersistentVolumeClaim => ({
  metadata: { name: 'data-db-1', ...(ownerReferences.length === 0 ? {} : { ownerReferences }) },
  spec: {},
  status: {},
});
const bySet = owner('StatefulSet', 'db', 'set');
const byPod = owner('Pod', 'db-1', 'pod');
const byOldPod = owner('Pod', 'db-1', 'before');
const other = owner('Backup', 'b', 'b');
const FATES: readonly [
  name: string,
  before: readonly OwnerReference[],
  fate: Parameters<typeof withFate>[1],
  after: readonly string[],
][] = [
  ['it goes with the set', [], 'set', ['set']],
  ['it goes with its pod', [], 'pod', ['pod']],
  ['it is kept', [bySet], 'nobody', []],
  ['from the set to its pod', [bySet], 'pod', ['pod']],
  ['from its pod to the set', [byPod], 'set', ['set']],
  ['a pod that was there before lets go of it', [byOldPod], 'nobody', []],
  ['owners of others stay', [other, bySet], 'nobody', ['b']],
  ['owners of others stay beside the new one', [other], 'set', ['b', 'set']],
  ['somebody else controls it', [owner('Backup', 'b', 'b', true)], 'set', ['b']],
];
for (const [name, before, fate, after] of FATES)
  test(`owners of a claim: ${name}`, () => {
    const made = withFate(claim(...before), fate, { set: set(), pod });
    assert.deepEqual(
      (made.metadata.ownerReferences ?? []).map(({ uid }) => uid),
      after,
    );
    assert.equal(withFate(made, fate, { set: set(), pod }), made, 'once is enough');
  });
test('a claim of a pod that is gone is nobody’s yet', () => {
  const bare = claim();
  assert.equal(withFate(bare, 'pod', { set: set(), pod: undefined }), bare);
});

const BACKUP = owner('Backup', 'b', 'b', true);
const DELETING: Policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };
for (const [name, policy, owners, wanted] of [
  ['somebody else controls it', DELETING, [BACKUP], true],
  ['a set that was there before does', DELETING, [owner('StatefulSet', 'db', 'before', true)], true],
  ['somebody else has it too, and does not', DELETING, [other], false],
  ['the set does', DELETING, [owner('StatefulSet', 'db', 'set', true)], false],
  ['all claims are kept', undefined, [BACKUP], false],
] as const)
  test(`who is in the way of a policy: ${name}`, () =>
    assert.equal(hasConflictingOwner(claim(...owners), set(policy)), wanted));

test('a claim that is about to go', () => {
  assert.equal(isStaleClaim(claim(), 'db-1'), false);
  assert.equal(isStaleClaim(claim(bySet), 'db-1'), false);
  assert.equal(isStaleClaim(claim(byOldPod), 'db-1'), true);
  assert.equal(isStaleClaim(claim(byOldPod), 'db-2'), false);
  assert.equal(isStaleClaim(claim(owner('Backup', 'db-1', 'b')), 'db-1'), false, 'what is no pod');
  const going = { ...claim(), metadata: { name: 'c', deletionTimestamp: '2026-01-01T00:00:00Z' } };
  assert.equal(isStaleClaim(going, 'db-1'), true);
});

for (const [name, podName, wanted] of [
  ['the first', 'db-0', 0],
  ['a later one', 'db-12', 12],
  ['of another set', 'web-0', undefined],
  ['of a set with a longer name', 'db-x-0', undefined],
  ['no number', 'db-a', undefined],
  ['no number at all', 'db-', undefined],
  ['a zero before it', 'db-01', undefined],
  ['more than a set can have', 'db-9999999999', undefined],
] as const)
  test(`the ordinal of a pod: ${name}`, () => assert.equal(ordinalOf(set(), podName), wanted));
