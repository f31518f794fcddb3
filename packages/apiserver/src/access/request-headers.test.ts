import assert from 'node:assert/strict';
import test from 'node:test';
import type { UserInfo } from '@binnacle/machinery';
import { speaksOfUsers, userOfHeaders } from './request-headers.ts';

const settings = {
  clientCa: '',
  allowedNames: ['proxy'],
  usernameHeaders: ['X-Remote-User', 'X-Other-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group', 'X-Other-Group'],
  extraHeadersPrefix: ['X-Remote-Extra-', 'X-More-'],
};

type Lines = readonly (readonly [name: string, value: string])[];
const ROWS: readonly [name: string, lines: Lines, expected: UserInfo | undefined][] = [
  ['nobody is named', [['x-remote-group', 'devs']], undefined],
  ['an empty name', [['x-remote-user', '']], undefined],
  ['a name alone', [['x-remote-user', 'jane']], { name: 'jane', groups: [] }],
  [
    'the first header with a name counts, and its first line',
    [
      ['x-other-user', 'later'],
      ['x-remote-user', 'jane'],
      ['x-remote-user', 'second'],
    ],
    { name: 'jane', groups: [] },
  ],
  [
    'a second header where the first is empty',
    [
      ['x-remote-user', ''],
      ['x-other-user', 'jane'],
    ],
    { name: 'jane', groups: [] },
  ],
  [
    'groups by line, commas and all, header by header',
    [
      ['x-remote-user', 'jane'],
      ['x-other-group', 'c'],
      ['x-remote-group', 'a, b'],
      ['x-remote-group', ''],
      ['x-remote-group', 'd'],
      ['x-remote-uid', '42'],
    ],
    { name: 'jane', uid: '42', groups: ['a, b', 'd', 'c'] },
  ],
  [
    'extra by prefix: keys unescaped, broken ones as they are, prototypes harmless',
    [
      ['x-remote-user', 'jane'],
      ['x-remote-extra-acme.com%2fproject', 'one'],
      ['x-more-acme.com%2fproject', 'two'],
      ['x-remote-extra-%zz', 'odd'],
      ['x-remote-extra-__proto__', 'own'],
    ],
    {
      name: 'jane',
      groups: [],
      extra: Object.fromEntries([
        ['acme.com/project', ['one', 'two']],
        ['%zz', ['odd']],
        ['__proto__', ['own']],
      ]),
    },
  ],
];

for (const [name, lines, expected] of ROWS) {
  test(name, () => {
    const found = userOfHeaders(settings, { commonName: 'proxy', headerLines: () => lines });
    assert.deepEqual(found, expected);
  });
}

test('a proxy of another name is not believed, any one is where no names are told', () => {
  const other = { commonName: 'other', headerLines: () => [['x-remote-user', 'jane']] as const };
  assert.equal(userOfHeaders(settings, other), undefined);
  assert.equal(userOfHeaders({ ...settings, allowedNames: [] }, other)?.name, 'jane');
});

test('what speaks of users is known by names and prefixes, in any case', () => {
  const speaks = speaksOfUsers({ ...settings, usernameHeaders: ['X-Who'] });
  const told = ['x-who', 'x-remote-uid', 'x-other-group', 'x-more-', 'x-remote-extra-a', 'x-remote-user', 'accept'];
  assert.deepEqual(told.map(speaks), [true, true, true, true, true, false, false]);
});
