import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Secret } from '@binnacle/api/core/v1';
import { credentialsFor } from './credentials.ts';

const secretOf = (auths: object): Secret => ({
  metadata: {},
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': btoa(JSON.stringify({ auths })) },
});
const as = (username: string) => ({ auth: btoa(`${username}:p:w`) });
const names = (image: string, ...secrets: Secret[]): string[] =>
  credentialsFor(image, secrets).map(({ auth }) => auth.username);

const rows: readonly [string, string, object, readonly string[]][] = [
  ['its registry', 'r.example.com/a/b:1', { 'r.example.com': as('me') }, ['me']],
  ['another registry', 'r.example.com/a/b:1', { 'other.example.com': as('me') }, []],
  ['with a scheme and a version', 'r.example.com/a', { 'https://r.example.com/v2/': as('me') }, ['me']],
  ['with its port', 'r.example.com:5000/a', { 'r.example.com:5000': as('me'), 'r.example.com': as('not') }, ['me']],
  ['Docker Hub', 'busybox', { 'https://index.docker.io/v1/': as('hub') }, ['hub']],
  ['any label', '1.dkr.example.com/a', { '*.dkr.example.com': as('me'), '*.example.com': as('not') }, ['me']],
  [
    'the longest path first',
    'r.io/team/app:1',
    { 'r.io': as('all'), 'r.io/team': as('team'), 'r.io/tea': as('not') },
    ['team', 'all'],
  ],
  ['a name and a password', 'r.io/a', { 'r.io': { username: 'me', password: 'x' } }, ['me']],
  ['a token', 'r.io/a', { 'r.io': { identitytoken: 't' } }, ['']],
  ['nothing in it', 'r.io/a', { 'r.io': {}, 'r.io/a': null, constructor: 1 }, []],
];
for (const [name, image, auths, wanted] of rows)
  test(`credentials: ${name}`, () => assert.deepEqual(names(image, secretOf(auths)), wanted));

test('the old form, passwords with colons, and what cannot be read', () => {
  const old: Secret = {
    metadata: { name: 'old', namespace: 'ns' },
    data: { '.dockercfg': btoa(JSON.stringify({ 'r.io': as('old') })) },
  };
  const broken: Secret = { metadata: {}, data: { '.dockerconfigjson': 'no base64!' } };
  assert.deepEqual(credentialsFor('r.io/a', [broken, old, { metadata: {} }]), [
    { auth: { username: 'old', password: 'p:w' }, secret: { uid: '', namespace: 'ns', name: 'old' } },
  ]);
});
