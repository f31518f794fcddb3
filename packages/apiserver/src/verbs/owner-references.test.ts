import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';
import { keepOwnersOnce } from './owner-references.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const ONE = { apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u' };
const OTHER = { ...ONE, uid: 'v' };
const CONTROLLER = { ...ONE, controller: true };
const PROBLEM =
  '; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ';

// In the words of a kube-apiserver v1.36.
const ROWS = [
  ['one', [ONE], [ONE], []],
  ['two that differ', [ONE, OTHER], [ONE, OTHER], []],
  ['one uid in other words', [ONE, CONTROLLER], [ONE, CONTROLLER], []],
  ['the same twice', [ONE, OTHER, { ...ONE }], [ONE, OTHER], ['u']],
  ['members in another order', [ONE, { uid: 'u', name: 'a', kind: 'A', apiVersion: 'v1' }], [ONE], ['u']],
  ['what is null is not said', [ONE, { ...ONE, controller: null }], [ONE], ['u']],
  ['many', [ONE, ONE, OTHER, ONE, OTHER], [ONE, OTHER], ['u', 'u', 'v']],
] as const;
for (const [name, sent, kept, repeated] of ROWS) {
  test(`owners that are named: ${name}`, () => {
    const object = { metadata: { name: 'x', ownerReferences: [...sent] } };
    const told: string[] = [];
    keepOwnersOnce(object as Parameters<typeof keepOwnersOnce>[0], 'as sent', { warn: (text) => void told.push(text) });
    assert.deepEqual(object.metadata.ownerReferences, kept);
    const whole = `.metadata.ownerReferences contains duplicate entries${PROBLEM}${repeated.join(', ')}`;
    assert.deepEqual(told, repeated.length === 0 ? [] : [whole]);
  });
}

test('a create, an update and a patch keep each owner once, and say so', async () => {
  const { ask } = await startTestServer();
  const sent = { metadata: { name: 'x', ownerReferences: [ONE, ONE] } };
  const early = `.metadata.ownerReferences contains duplicate entries${PROBLEM}u`;
  const late = `.metadata.ownerReferences contains duplicate entries after mutating admission happens${PROBLEM}u`;
  const made = await ask(`POST ${MAPS}`, sent);
  assert.deepEqual([made.code, made.body.metadata.ownerReferences, made.warnings], [201, [ONE], [early]]);
  const put = await ask(`PUT ${MAPS}/x`, { ...made.body, metadata: { ...made.body.metadata, ...sent.metadata } });
  assert.deepEqual([put.code, put.body.metadata.ownerReferences, put.warnings], [200, [ONE], [early]]);
  const patch = JSON.stringify([{ op: 'add', path: '/metadata/ownerReferences/-', value: ONE }]);
  const patched = await ask(`PATCH ${MAPS}/x`, patch, { 'content-type': 'application/json-patch+json' });
  assert.deepEqual([patched.code, patched.body.metadata.ownerReferences, patched.warnings], [200, [ONE], [late]]);
});
