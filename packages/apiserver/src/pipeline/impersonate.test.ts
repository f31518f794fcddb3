import assert from 'node:assert/strict';
import test from 'node:test';
import { asStranger } from '../testing/as-stranger.ts';
import type { HeaderLines } from '../testing/as-stranger.ts';
import type { Policy } from '../policy.ts';

function impersonator(asked: string[]): Partial<Policy> {
  return {
    authenticate: () => ({ name: 'boss', groups: [] }),
    authorizer: {
      authorize({ user, verb, group, resource, subresource, namespace, name }) {
        const what = subresource === '' ? resource : `${resource}/${subresource}`;
        asked.push(`${user.name} ${verb} ${group === '' ? what : `${what} (${group})`} ${namespace}/${name}`);
        return { decision: name === 'forbidden' ? 'deny' : 'allow', reason: '' };
      },
    },
  };
}

test('impersonation: as somebody else, when the caller may be all of that', async () => {
  const asked: string[] = [];
  const may = await asStranger(impersonator(asked), [
    ['impersonate-user', 'jane'],
    ['impersonate-group', 'devs, with a comma'],
    ['impersonate-group', 'ops'],
    ['impersonate-uid', '06f6'],
    ['impersonate-extra-acme.io%2fscope', 'view'],
    ['impersonate-extra-acme.io%2fscope', 'edit'],
  ]);
  assert.deepEqual(may.exchange.user, {
    name: 'jane',
    groups: ['devs, with a comma', 'ops', 'system:authenticated'],
    uid: '06f6',
    extra: { 'acme.io/scope': ['view', 'edit'] },
  });
  assert.equal(may.exchange.impersonation, 'impersonate:user-info');
  assert.deepEqual(asked, [
    'boss impersonate-on:user-info:list pods /',
    'boss impersonate:user-info users (authentication.k8s.io) /jane',
    'boss impersonate:user-info uids (authentication.k8s.io) /06f6',
    'boss impersonate:user-info groups (authentication.k8s.io) /devs, with a comma',
    'boss impersonate:user-info groups (authentication.k8s.io) /ops',
    'boss impersonate:user-info userextras/acme.io/scope (authentication.k8s.io) /view',
    'boss impersonate:user-info userextras/acme.io/scope (authentication.k8s.io) /edit',
    'jane list pods /',
  ]);
});

const REFUSED: readonly (readonly [name: string, headers: readonly (readonly [string, string])[], code: number])[] = [
  ['a user', [['impersonate-user', 'forbidden']], 403],
  [
    'a group',
    [
      ['impersonate-user', 'jane'],
      ['impersonate-group', 'forbidden'],
    ],
    403,
  ],
  [
    'a uid',
    [
      ['impersonate-user', 'jane'],
      ['impersonate-uid', 'forbidden'],
    ],
    403,
  ],
  [
    'a value of extra',
    [
      ['impersonate-user', 'jane'],
      ['impersonate-extra-x', 'forbidden'],
    ],
    403,
  ],
  ['a group without a user', [['impersonate-group', 'system:masters']], 400],
  ['a uid without a user', [['impersonate-uid', '1']], 400],
];

for (const [name, headers, code] of REFUSED) {
  test(`impersonation that is refused: ${name}`, async () => {
    const { reply } = await asStranger(impersonator([]), headers);
    assert.ok('code' in reply && reply.code === code);
  });
}

const GROUPS: readonly (readonly [user: string, asked: readonly string[], groups: readonly string[]])[] = [
  ['system:serviceaccount:ns:sa', [], ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated']],
  ['system:serviceaccount:ns:sa', ['g'], ['g', 'system:authenticated']],
  ['system:serviceaccount:ns', [], ['system:authenticated']],
  ['system:serviceaccount:NS:sa', [], ['system:authenticated']],
  ['system:serviceaccount:ns:sa:x', [], ['system:authenticated']],
  ['system:anonymous', [], ['system:unauthenticated']],
  ['jane', ['system:unauthenticated'], ['system:unauthenticated']],
  ['jane', ['system:authenticated'], ['system:authenticated']],
];

for (const [user, asked, groups] of GROUPS) {
  test(`groups of an impersonated ${user} with [${asked.join(' ')}]`, async () => {
    const headers = [['impersonate-user', user], ...asked.map((group) => ['impersonate-group', group])];
    const { exchange } = await asStranger(impersonator([]), headers as [string, string][]);
    assert.deepEqual(exchange.user.groups, groups);
  });
}

/** May do what these verbs say, of one thing at a time; whom the caller became may do anything. */
function having(...verbs: readonly string[]): Partial<Policy> {
  return {
    authenticate: () => ({ name: 'boss', groups: [] }),
    authorizer: {
      authorize: ({ user, verb }) => ({
        decision: user.name !== 'boss' || verbs.includes(verb) ? 'allow' : 'noOpinion',
        reason: '',
      }),
    },
  };
}

function messageOf(reply: object): string {
  const { object } = reply as { readonly object?: { readonly message?: string } };
  return object?.message ?? '';
}

const AS_JANE: HeaderLines = [['impersonate-user', 'jane']];
const CONSTRAINED = 'impersonate:user-info';
const RIGHTS: readonly (readonly [
  name: string,
  verbs: readonly string[],
  right: string | undefined,
  refused: string,
])[] = [
  ['the plain one', ['impersonate'], undefined, ''],
  ['the constrained ones', ['impersonate-on:user-info:list', CONSTRAINED], CONSTRAINED, ''],
  ['to be, not to do', [CONSTRAINED], undefined, 'cannot impersonate-on:user-info:list resource "pods"'],
  ['to do, not to be', ['impersonate-on:user-info:list'], undefined, `cannot ${CONSTRAINED} resource "users"`],
  [
    'to do something else',
    ['impersonate-on:user-info:get', CONSTRAINED],
    undefined,
    'cannot impersonate-on:user-info:list resource "pods"',
  ],
];

for (const [name, verbs, right, refused] of RIGHTS) {
  test(`rights to impersonate: ${name}`, async () => {
    const { exchange, reply } = await asStranger(having(...verbs), AS_JANE);
    assert.equal(exchange.user.name, refused === '' ? 'jane' : 'boss');
    assert.equal(exchange.impersonation, right);
    assert.ok(messageOf(reply).includes(refused), messageOf(reply));
  });
}

test('of a header that comes twice the first line says whom', async () => {
  const headers: HeaderLines = [
    ...AS_JANE,
    ['impersonate-user', 'root'],
    ['impersonate-uid', '1'],
    ['impersonate-uid', '2'],
  ];
  const { exchange } = await asStranger(having('impersonate'), headers);
  assert.deepEqual([exchange.user.name, exchange.user.uid], ['jane', '1']);
});

test('a group that is above all is given by the plain right alone', async () => {
  const headers: HeaderLines = [...AS_JANE, ['impersonate-group', 'system:masters']];
  const constrained = ['impersonate-on:user-info:list', CONSTRAINED];
  const { reply } = await asStranger(having(...constrained), headers);
  assert.match(messageOf(reply), /impersonating the system:masters group is not allowed$/);
  const { exchange } = await asStranger(having(...constrained, 'impersonate'), headers);
  assert.deepEqual(exchange.user.groups, ['system:masters', 'system:authenticated']);
});

test('many groups are one question where all of them are allowed', async () => {
  const asked: string[] = [];
  const groups = ['a', 'b', 'c', 'd'].map((group) => ['impersonate-group', group] as const);
  await asStranger(impersonator(asked), [...AS_JANE, ...groups]);
  const about = 'boss impersonate:user-info groups (authentication.k8s.io) /*';
  assert.deepEqual(asked.slice(2), [about, 'jane list pods /']);
});

test('what headers ask for without a name is told as it was understood', async () => {
  const { reply } = await asStranger(having('impersonate'), [['impersonate-group', 'g']]);
  const asked = '&user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)}';
  assert.equal(messageOf(reply), `requested ${asked} without impersonating a user name`);
});
