import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cause, Hop } from '@binnacle/base';
import type { CommitRecord, RequestRecord, TraceRecord, WatchRecord } from './record.ts';
import { recordOf, rowOfCommit, rowOfDelivery, rowOfHop, rowOfRequest } from './record-rows.ts';
import { Ring } from './ring.ts';
import type { Row } from './ring.ts';
import { Verdicts } from './verdicts.ts';

const CAUSE: Cause = { id: 'r1', component: 'kubectl', request: 'POST /a' };
const DEEP: Cause = { ...CAUSE, revision: '7', parent: { ...CAUSE, id: 'r0', parent: { ...CAUSE, id: 'r-1' } } };
const REQUEST: RequestRecord = {
  ...{ kind: 'request', seq: 1, at: 1763.125, ms: 0.25, code: 201, error: undefined, method: 'POST', path: '/a' },
  ...{ query: 'a=1&a=2', verb: 'create', isResource: true, group: '', resource: 'pods', subresource: '' },
  ...{
    namespace: 'n',
    name: '',
    user: 'u',
    impersonated: undefined,
    agent: 'a',
    id: 'r1',
    cause: undefined,
    allowed: '',
    admitted: undefined,
  },
};
const COMMIT: CommitRecord = {
  ...{ kind: 'commit', seq: 2, at: 2.5, ms: 1, operation: 'create', revision: 2 ** 40, group: '', resource: 'pods' },
  ...{ key: 'n/p', namespaced: true, uid: 'u1', cause: CAUSE },
};
const HOP: Hop = { kind: 'event', component: 'c', name: 'n', startedAt: 3, durationMs: 0 };
const WATCH: WatchRecord = {
  id: 'w',
  user: 'u',
  impersonated: undefined,
  agent: '',
  path: '/api/v1/pods',
  query: '',
  group: '',
  resource: 'pods',
};
const verdicts = new Verdicts();

const ofRequest = (record: RequestRecord): [Row, TraceRecord] => [rowOfRequest(record.seq, record, verdicts), record];
const ofCommit = (record: CommitRecord): [Row, TraceRecord] => [rowOfCommit(record.seq, record), record];
const ofHop = (hop: Hop, reporter?: string): [Row, TraceRecord] => [
  rowOfHop(3, hop, reporter),
  { kind: 'component', seq: 3, at: 3, hop, reporter },
];
const ofDelivery = (type: 'ADDED' | 'MODIFIED' | 'DELETED', key: string): [Row, TraceRecord] => [
  rowOfDelivery(4, { at: 4.5, item: { type, revision: 9, entry: { key } }, watch: WATCH }),
  { kind: 'delivery', seq: 4, at: 4.5, revision: 9, type, key, namespaced: key.includes('/'), watch: WATCH },
];
const lazy = (): { readonly late: true } => ({ late: true });

const ROWS: readonly [name: string, kept: [Row, TraceRecord]][] = [
  ['a request', ofRequest(REQUEST)],
  [
    'a request of which all is known',
    ofRequest({
      ...{ kind: 'request', seq: 10, at: 10.5, ms: 9, code: 409, error: 'conflict', method: 'PUT', path: '/b/파드' },
      ...{ query: '', verb: 'update', isResource: false, group: 'apps', resource: 'sets', subresource: 'status' },
      ...{
        namespace: 'm',
        name: 'x',
        user: 'v',
        impersonated: 'w',
        agent: 'b',
        id: 'r2',
        cause: DEEP,
        allowed: 'RBAC: allowed by "x"',
      },
      admitted: [{ plugin: 'p', changed: ['spec.volumes', 'spec.priority'] }],
    }),
  ],
  ['a request that nobody allowed', ofRequest({ ...REQUEST, allowed: undefined, error: '', code: 403 })],
  ['a step that waited', ofHop({ ...HOP, waitedMs: 2.25 })],
  ['a step that was due at once', ofHop({ ...HOP, waitedMs: 0 })],
  ['a commit', ofCommit(COMMIT)],
  [
    'a deletion in no namespace, of an object without a uid',
    ofCommit({ ...COMMIT, operation: 'delete', key: 'q', namespaced: false, uid: undefined, cause: DEEP }),
  ],
  ['an update', ofCommit({ ...COMMIT, operation: 'update', group: 'apps' })],
  ['a step', ofHop(HOP)],
  [
    'a step of which all is known',
    ofHop(
      {
        ...{
          ...HOP,
          kind: 'runtime',
          id: 'h',
          revision: '5',
          error: 'no',
          cause: DEEP,
          detail: { a: [1, { b: null }] },
        },
        object: { group: '', resource: 'pods', namespace: 'n', name: 'p', uid: 'u' },
      },
      'system:node:n',
    ),
  ],
  ['a step about what is in no namespace', ofHop({ ...HOP, object: { group: '', resource: 'nodes', name: 'n' } })],
  ['a step whose detail is made when somebody asks', ofHop({ ...HOP, detail: lazy })],
  ['a delivery', ofDelivery('ADDED', 'n/p')],
  ['a delivery of what is gone, in no namespace', ofDelivery('DELETED', 'n')],
  ['a delivery of a change', ofDelivery('MODIFIED', 'n/p')],
];

for (const [name, [row, record]] of ROWS) {
  test(`a record comes back as it was: ${name}`, () => {
    const ring = new Ring({ entries: 10, bytes: 10_000 });
    ring.push(row);
    assert.deepEqual([...ring.after(-1)].map(recordOf), [record]);
  });
}

test('of a chain of causes the nearest are kept', () => {
  let cause: Cause = CAUSE;
  for (let at = 0; at < 20; at++) cause = { ...CAUSE, id: `r${at}`, parent: cause };
  const ids: string[] = [];
  const record = recordOf(rowOfCommit(1, { ...COMMIT, cause }));
  for (let one = record.kind === 'commit' ? record.cause : undefined; one !== undefined; one = one.parent)
    ids.push(one.id);
  assert.deepEqual(ids, ['r19', 'r18', 'r17', 'r16', 'r15', 'r14', 'r13', 'r12']);
});

test('a detail that is too large is said to be', () => {
  const record = recordOf(rowOfHop(1, { ...HOP, detail: { text: 'x'.repeat(40_000) } }, undefined));
  assert.deepEqual(record.kind === 'component' && record.hop.detail, { tooLarge: true });
});
