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
    { 'r.io': as('all'), 'r.io/team': as('team'), 'r.io/other': as('not') },
    ['team', 'all'],
  ],
  ['a path is a beginning', 'r.io/team/app:1', { 'r.io/tea': as('me'), 'r.io/team/app:1': as('not') }, ['me']],
  ['that ends with a slash', 'r.io/team/app', { 'r.io/team/': as('me'), 'r.io/team/app/': as('not') }, ['me']],
  ['with a version before its path', 'r.io/team/app', { 'https://r.io/v1/team': as('me') }, ['me']],
  [
    'Docker Hub by its host goes first',
    'a/b',
    { 'docker.io': as('host'), 'https://index.docker.io/v1/': as('hub') },
    ['host'],
  ],
  ['Docker Hub is for no other registry', 'r.io/a', { 'index.docker.io': as('hub') }, []],
  ['a name and a password', 'r.io/a', { 'r.io': { username: 'me', password: 'x' } }, ['me']],
  ['a token', 'r.io/a', { 'r.io': { identitytoken: 't' } }, ['']],
  ['nothing in it', 'r.io/a', { 'r.io': {}, 'r.io/a': null, constructor: 1 }, []],
];
for (const [name, image, auths, wanted] of rows)
  test(`credentials: ${name}`, () => assert.deepEqual(names(image, secretOf(auths)), wanted));

test('the old form, passwords with colons, and what cannot be read', () => {
  const old: Secret = {
    metadata: { name: 'old', namespace: 'ns' },
    type: 'kubernetes.io/dockercfg',
    data: { '.dockercfg': btoa(JSON.stringify({ 'r.io': as('old') })) },
  };
  const broken: Secret = { ...secretOf({}), data: { '.dockerconfigjson': 'no base64!' } };
  const opaque: Secret = { ...secretOf({ 'r.io': as('opaque') }), type: 'Opaque' };
  assert.deepEqual(credentialsFor('r.io/a', [broken, opaque, old, { metadata: {} }]), [
    { auth: { username: 'old', password: 'p:w' }, secret: { uid: '', namespace: 'ns', name: 'old' } },
  ]);
});
