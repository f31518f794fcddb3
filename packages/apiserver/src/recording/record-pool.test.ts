import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecordPool } from './record-pool.ts';
import type { CommitRecord, ComponentRecord, RequestRecord } from './record.ts';

const QUERY = { isEmpty: true, entries: (): [string, string][] => [] };
const request = (of: Partial<RequestRecord>): RequestRecord => ({
  ...{
    kind: 'request',
    seq: 1,
    at: 1.5,
    ms: 0.25,
    code: 201,
    error: undefined,
    method: 'POST',
    path: '/a',
    query: QUERY,
  },
  ...{ verb: 'create', isResource: true, group: '', resource: 'pods', subresource: '', namespace: 'n', name: '' },
  ...{ user: { name: 'u', groups: [] }, agent: 'a', id: 'r1', cause: undefined, allowed: 'yes', admitted: undefined },
  ...of,
});
const commit = (of: Partial<CommitRecord>): CommitRecord => ({
  ...{
    kind: 'commit',
    seq: 2,
    at: 2.5,
    ms: 1,
    operation: 'create',
    revision: 7,
    group: '',
    resource: 'pods',
    key: 'n/p',
  },
  ...{ namespaced: true, uid: 'u1', cause: { id: 'r1', component: 'a', request: 'POST /a' } },
  ...of,
});
const COMPONENT: ComponentRecord = {
  ...{ kind: 'component', seq: 3, at: 3, reporter: undefined },
  hop: { kind: 'event', component: 'c', name: 'n', startedAt: 3, durationMs: 0 },
};

/** Every member another than in the one above. */
const OTHER_REQUEST = request({
  ...{
    seq: 10,
    at: 10.5,
    ms: 9,
    code: 409,
    error: 'conflict',
    method: 'PUT',
    path: '/b',
    query: { ...QUERY, isEmpty: false },
  },
  ...{ verb: 'update', isResource: false, group: 'apps', resource: 'sets', subresource: 'status', namespace: 'm' },
  ...{ name: 'x', user: { name: 'v', groups: ['g'] }, agent: 'b', id: 'r2' },
  ...{
    cause: { id: 'c', component: 'c', request: '' },
    allowed: undefined,
    admitted: [{ plugin: 'p', changed: ['f'] }],
  },
});
const OTHER_COMMIT = commit({
  ...{ seq: 11, at: 11.5, ms: 2, operation: 'delete', revision: 8, group: 'apps', resource: 'sets', key: 'q' },
  ...{ namespaced: false, uid: undefined, cause: { id: 'r2', component: 'b', request: 'DELETE /q' } },
});

for (const [what, old, next] of [
  ['a request', request({}), OTHER_REQUEST],
  ['a commit', commit({}), OTHER_COMMIT],
] as const) {
  test(`${what} that was let go of says all that the next one says`, () => {
    for (const member of Object.keys(next))
      if (member !== 'kind') assert.notDeepEqual(Reflect.get(old, member), Reflect.get(next, member), member);
    const pool = new RecordPool(() => 1);
    const wanted = { ...next };
    pool.give(old);
    const kept = pool.taken(next);
    assert.equal(kept, old);
    assert.deepEqual(kept, wanted);
    assert.equal(pool.taken(next), next, 'there is no other one');
  });
}

test('each sort takes over its own, and what components did is kept as it came', () => {
  const pool = new RecordPool(() => 1);
  pool.give(COMPONENT);
  pool.give(commit({}));
  const next = request({});
  assert.equal(pool.taken(next), next);
  assert.equal(pool.taken(COMPONENT), COMPONENT);
});

test('what a reader holds does not change when the ring goes on', () => {
  const pool = new RecordPool(() => 1);
  const first = request({});
  const seen = pool.shown(first);
  pool.give(first);
  pool.taken(OTHER_REQUEST);
  assert.equal(seen.kind === 'request' && seen.id, 'r1');
  assert.equal(pool.shown(COMPONENT), COMPONENT);
});
