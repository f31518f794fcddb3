import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import { differsInStatusAlone, OwnWrites } from './own-writes.ts';

const object = (resourceVersion: string, uid = 'u', name = 'a') => ({ metadata: { name, uid, resourceVersion } });
const empty = new Map<string, KubeObject>();

test('waits for the revision that was written, and knows its own', () => {
  const writes = new OwnWrites(new VirtualClock(), empty);
  assert.equal(writes.remainingMs('k'), 0);
  writes.wrote('k', object('7'));
  assert.ok(writes.remainingMs('k') > 0);
  assert.equal(writes.see('k', object('6')), true, 'on the way to it');
  assert.ok(writes.remainingMs('k') > 0);
  assert.equal(writes.see('k', object('7')), true);
  assert.equal(writes.remainingMs('k'), 0);
  assert.equal(writes.see('k', object('8')), false, 'somebody else’s');
});

test('what somebody else wrote after it, or made in its place, ends the wait and is not our own', () => {
  const writes = new OwnWrites(new VirtualClock(), empty);
  writes.wrote('k', object('7'));
  assert.equal(writes.see('k', object('9')), false);
  assert.equal(writes.remainingMs('k'), 0);
  writes.wrote('k', object('10'));
  assert.equal(writes.see('k', object('11', 'another')), false);
  assert.equal(writes.remainingMs('k'), 0);
});

test('deletions, several objects of one key, and lost events', async () => {
  const clock = new VirtualClock();
  const writes = new OwnWrites(clock, new Map([['a', object('7')]]));
  writes.deleted('k', object('7'));
  writes.wrote('k', object('8', 'v', 'b'));
  assert.equal(writes.seeGone('k', object('9')), true);
  assert.ok(writes.remainingMs('k') > 0, 'b is still missing');
  assert.equal(writes.seeGone('k', object('9', 'v', 'b')), false, 'somebody else deleted it');
  assert.equal(writes.remainingMs('k'), 0);
  writes.wrote('k', object('12'));
  await clock.advance(300_001);
  assert.equal(writes.remainingMs('k'), 0);
});

test('what the cache was told before the answer came is not waited for', () => {
  const writes = new OwnWrites(new VirtualClock(), new Map([['a', object('7')]]));
  writes.wrote('k', object('7'));
  assert.equal(writes.remainingMs('k'), 0);
  writes.deleted('k', object('3', 'earlier', 'b'));
  assert.equal(writes.remainingMs('k'), 0, 'gone from the cache already');
  writes.wrote('k', object('8'));
  assert.ok(writes.remainingMs('k') > 0);
});

test('an answer that comes after its object was deleted and made anew is not waited for', () => {
  const writes = new OwnWrites(new VirtualClock(), new Map([['a', object('9', 'anew')]]));
  writes.wrote('k', object('7'));
  assert.equal(writes.remainingMs('k'), 0);
});

test('what was made in the place of another one is waited for while the cache shows that', () => {
  const writes = new OwnWrites(new VirtualClock(), new Map([['a', object('7', 'before')]]));
  writes.wrote('k', object('9'));
  assert.ok(writes.remainingMs('k') > 0);
});

const SET = {
  kind: 'ReplicaSet',
  metadata: { name: 'a', uid: 'u', resourceVersion: '7' },
  spec: { replicas: 1 },
  status: {},
};
const { metadata } = SET;

const ROWS: readonly (readonly [
  what: string,
  after: KubeObject & { readonly [part: string]: unknown },
  alone: boolean,
])[] = [
  ['nothing', SET, true],
  ['its status', { ...SET, status: { replicas: 1 } }, true],
  ['its version', { ...SET, metadata: { ...metadata, resourceVersion: '8' } }, true],
  ['who owns what', { ...SET, metadata: { ...metadata, managedFields: [{ manager: 'm' }] } }, true],
  ['what it asks for', { ...SET, spec: { replicas: 2 } }, false],
  ['a label', { ...SET, metadata: { ...metadata, labels: { a: 'b' } } }, false],
  ['that it goes', { ...SET, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }, false],
  ['another part', { ...SET, data: {} }, false],
];

for (const [what, after, alone] of ROWS) {
  test(`${what} is ${alone ? 'no more than' : 'more than'} a status`, () =>
    assert.equal(differsInStatusAlone(SET, after), alone));
}
