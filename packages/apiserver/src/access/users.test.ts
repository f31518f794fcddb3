import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { authenticatedUser, nodeNameOf, parseServiceAccount, serviceAccountUser } from './users.ts';

describe('the ServiceAccount behind a name', () => {
  const long = 'a'.repeat(63);
  const rows: readonly (readonly [name: string, user: string, account: object | undefined])[] = [
    ['one', 'system:serviceaccount:ns:app', { namespace: 'ns', name: 'app' }],
    ['with a dot', 'system:serviceaccount:ns:app.example.com', { namespace: 'ns', name: 'app.example.com' }],
    ['as long as can be', `system:serviceaccount:${long}:${long}`, { namespace: long, name: long }],
    ['a namespace too long', `system:serviceaccount:${long}a:app`, undefined],
    ['a namespace with a dot', 'system:serviceaccount:a.b:app', undefined],
    ['a name too long', `system:serviceaccount:ns:${'a.'.repeat(126)}ab`, undefined],
    ['a part of a name that ends in a dash', 'system:serviceaccount:ns:a-.b', undefined],
    ['no name', 'system:serviceaccount:ns:', undefined],
    ['no namespace', 'system:serviceaccount::app', undefined],
    ['one part', 'system:serviceaccount:ns', undefined],
    ['three parts', 'system:serviceaccount:ns:app:more', undefined],
    ['nothing behind', 'system:serviceaccount:', undefined],
    ['capitals', 'system:serviceaccount:NS:app', undefined],
    ['a line break at the end', 'system:serviceaccount:ns:app\n', undefined],
    ['a group of accounts', 'system:serviceaccounts:ns:app', undefined],
    ['somebody else', 'alice', undefined],
    ['a prefix in the middle', 'x:system:serviceaccount:ns:app', undefined],
    [
      'called like a member of every object',
      'system:serviceaccount:constructor:app',
      { namespace: 'constructor', name: 'app' },
    ],
    ['what asks for much work', `system:serviceaccount:ns:${'a-'.repeat(50_000)}`, undefined],
  ];
  for (const [name, user, account] of rows) test(name, () => assert.deepEqual(parseServiceAccount(user), account));

  test('who is one is read back', () => {
    const { name, groups } = serviceAccountUser('ns', 'app', '1');
    assert.deepEqual(parseServiceAccount(name), { namespace: 'ns', name: 'app' });
    assert.deepEqual(groups, ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated']);
  });
});

test('a node is who is called so and is of their group', () => {
  const groups = ['system:nodes'];
  assert.equal(nodeNameOf({ name: 'system:node:n1', groups }), 'n1');
  assert.equal(nodeNameOf({ name: 'system:node:', groups }), '');
  assert.equal(nodeNameOf({ name: 'system:node:n1', groups: ['system:authenticated'] }), undefined);
  assert.equal(nodeNameOf({ name: 'n1', groups }), undefined);
});

test('who is authenticated is so once', () => {
  const once = authenticatedUser({ name: 'a', groups: ['g'] });
  assert.deepEqual(once.groups, ['g', 'system:authenticated']);
  assert.equal(authenticatedUser(once), once);
});
