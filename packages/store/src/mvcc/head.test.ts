import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '../ports.ts';
import { LeaseNotFoundError } from '../errors.ts';
import { Head } from './head.ts';
import { readSpan } from './past-range.ts';

const ALL = { key: '', end: '\0' };
const put = (key: string, lease = 0): Operation => ({ type: 'put', key, value: new Uint8Array(5), lease });
const apply = (head: Head, ...success: Operation[]) => head.apply({ compare: [], success, failure: [] });

test('positions are never given twice, revisions once per writing transaction', () => {
  const head = new Head(10, 100);
  const first = apply(head, put('a'), put('b'));
  const second = apply(head, { type: 'delete', key: 'a' });
  const nothing = apply(head, { type: 'delete', key: 'a' });
  assert.deepEqual(
    [...first.changes, ...second.changes].map((c) => [c.kv.position, c.kv.modRevision]),
    [
      [100, 11],
      [101, 11],
      [102, 12],
    ],
  );
  assert.deepEqual([nothing.changes.length, nothing.result.revision, head.revision], [0, 12, 12]);
});

test('a refused transaction changes nothing', () => {
  const head = new Head(1, 1);
  apply(head, put('a'));
  const before = { revision: head.revision, bytes: head.bytes };
  assert.throws(() => apply(head, put('b'), { type: 'delete', key: 'a' }, put('c', 99)), LeaseNotFoundError);
  assert.deepEqual({ revision: head.revision, bytes: head.bytes }, before);
  assert.equal(readSpan(head.freeze(), ALL, 0).count, 1);
});

test('what is frozen stays as it was', () => {
  const head = new Head(1, 1);
  apply(head, put('a'));
  const frozen = head.freeze();
  apply(head, put('b'), { type: 'delete', key: 'a' });
  const keys = (tree: typeof frozen) => readSpan(tree, ALL, 0).kvs.map((kv) => kv.key);
  assert.deepEqual([keys(frozen), keys(head.freeze())], [['a'], ['b']]);
});

test('the bytes of the live keys are counted', () => {
  const head = new Head(1, 1);
  apply(head, put('a'), put('b'));
  const two = head.bytes;
  apply(head, put('a'));
  assert.equal(head.bytes, two);
  apply(head, { type: 'delete', ...ALL });
  assert.equal(head.bytes, 0);
});

test('the keys of a lease are deleted in their order, in one revision', () => {
  const head = new Head(1, 1);
  head.leases.add({ id: 7, grantedTtl: 10, expiresAt: 0 });
  apply(head, put('b', 7), put('a', 7), put('c'));
  const changes = head.deleteKeys(head.leases.get(7)?.keys ?? []);
  assert.deepEqual(
    changes.map((c) => [c.type, c.kv.key, c.kv.modRevision, c.prevKv?.modRevision]),
    [
      ['delete', 'a', 3, 2],
      ['delete', 'b', 3, 2],
    ],
  );
  assert.deepEqual([...(head.leases.get(7)?.keys ?? [])], []);
});

test('an empty key is a bug of ours', () => {
  assert.throws(() => apply(new Head(1, 1), put('')), /at least one byte/);
});
