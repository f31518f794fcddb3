import assert from 'node:assert/strict';
import test from 'node:test';
import type { UserInfo } from '@binnacle/machinery';
import type { RequestAttributes } from '../ports/authorization.ts';
import { modesOf, onBehalf, ownGroups, partsOf } from './impersonation-modes.ts';
import type { ImpersonationMode, Wanted } from './impersonation-modes.ts';

const JOE: UserInfo = { name: 'joe', groups: [] };
const NODE_NAME = 'authentication.kubernetes.io/node-name';
const AGENT: UserInfo = {
  name: 'system:serviceaccount:kube-system:agent',
  groups: [],
  extra: { [NODE_NAME]: ['n1'], 'authentication.kubernetes.io/pod-name': ['p'] },
};

function wanting(name: string, more: Partial<Wanted> = {}): Wanted {
  return { name, uid: '', groups: [], extra: new Map<string, readonly string[]>(), ...more };
}

const WAYS: readonly (readonly [name: string, wanted: Wanted, caller: UserInfo, ways: string])[] = [
  ['a person', wanting('bob', { groups: ['g'], uid: 'u' }), JOE, 'user-info,'],
  ['an account', wanting('system:serviceaccount:a:b'), JOE, 'serviceaccount,'],
  ['an account and a group', wanting('system:serviceaccount:a:b', { groups: ['g'] }), JOE, ''],
  ['no account after all', wanting('system:serviceaccount:a'), JOE, 'user-info,'],
  ['a node', wanting('system:node:n1'), JOE, 'arbitrary-node,'],
  ['a node and its group', wanting('system:node:n1', { groups: ['system:nodes'] }), JOE, ''],
  ['no node after all', wanting('system:node:A_b'), JOE, 'user-info,'],
  ['the node of an agent', wanting('system:node:n1'), AGENT, 'associated-node,arbitrary-node,'],
  ['another node than the agent has', wanting('system:node:n2'), AGENT, 'arbitrary-node,'],
  ['a person who says to be on a node', wanting('system:node:n1'), { ...AGENT, name: 'joe' }, 'arbitrary-node,'],
  [
    'an account on two nodes',
    wanting('system:node:n1'),
    { ...AGENT, extra: { [NODE_NAME]: ['n1', 'n2'] } },
    'arbitrary-node,',
  ],
];

for (const [name, wanted, caller, ways] of WAYS) {
  test(`ways to become somebody else: ${name}`, () => {
    assert.equal(
      modesOf(wanted, caller)
        .map((mode) => mode.name)
        .join(),
      ways,
    );
  });
}

const USER_INFO: ImpersonationMode = { name: 'user-info', caller: JOE };
const PLAIN: ImpersonationMode = { name: '', caller: JOE };

function told(wanted: Wanted, mode: ImpersonationMode): string[] {
  return [...partsOf(wanted, mode)].map((question) => {
    const { verb, group, resource, subresource, namespace, name } = question.asked;
    const what = `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`} (${group}) ${namespace}/${name}`;
    if ('why' in question) return `${what}: ${question.why}`;
    return question.spares === undefined ? what : `${what} for ${question.spares}`;
  });
}

const extra = (entries: { readonly [key: string]: readonly string[] }): Pick<Wanted, 'extra'> => ({
  extra: new Map(Object.entries(entries)),
});
const INVALID = 'impersonating an invalid key in extra is not allowed: extra.key: Invalid value';

const QUESTIONS: readonly (readonly [
  name: string,
  wanted: Wanted,
  mode: ImpersonationMode,
  asked: readonly string[],
])[] = [
  ['a name', wanting('bob'), USER_INFO, ['impersonate:user-info users (authentication.k8s.io) /bob']],
  ['a name, plainly', wanting('bob'), PLAIN, ['impersonate users () /bob']],
  [
    'an account',
    wanting('system:serviceaccount:a:b'),
    { name: 'serviceaccount', caller: JOE },
    ['impersonate:serviceaccount serviceaccounts (authentication.k8s.io) a/b'],
  ],
  ['a node, plainly', wanting('system:node:n1'), PLAIN, ['impersonate users () /system:node:n1']],
  [
    'any node',
    wanting('system:node:n1'),
    { name: 'arbitrary-node', caller: JOE },
    ['impersonate:arbitrary-node nodes (authentication.k8s.io) /n1'],
  ],
  [
    'the node of an agent, whichever that is',
    wanting('system:node:n1'),
    { name: 'associated-node', caller: AGENT },
    ['impersonate:associated-node nodes (authentication.k8s.io) /*'],
  ],
  [
    'a group that is above all',
    wanting('bob', { groups: ['system:masters'] }),
    USER_INFO,
    [
      'impersonate:user-info users (authentication.k8s.io) /bob',
      'impersonate:user-info groups (authentication.k8s.io) /system:masters: impersonating the system:masters group is not allowed',
      'impersonate:user-info groups (authentication.k8s.io) /system:masters',
    ],
  ],
  [
    'the same, plainly',
    wanting('bob', { groups: ['system:masters', ''] }),
    PLAIN,
    ['impersonate users () /bob', 'impersonate groups () /system:masters', 'impersonate groups () /'],
  ],
  [
    'many groups',
    wanting('bob', { groups: ['a', 'b', 'c', 'd'] }),
    USER_INFO,
    [
      'impersonate:user-info users (authentication.k8s.io) /bob',
      'impersonate:user-info groups (authentication.k8s.io) /* for 4',
      ...['a', 'b', 'c', 'd'].map((name) => `impersonate:user-info groups (authentication.k8s.io) /${name}`),
    ],
  ],
  [
    'extra',
    wanting('bob', { uid: 'u', ...extra({ 'acme.io/x': ['1', '2'] }) }),
    USER_INFO,
    [
      'impersonate:user-info users (authentication.k8s.io) /bob',
      'impersonate:user-info uids (authentication.k8s.io) /u',
      'impersonate:user-info userextras/acme.io/x (authentication.k8s.io) /1',
      'impersonate:user-info userextras/acme.io/x (authentication.k8s.io) /2',
    ],
  ],
  [
    'extra without a domain',
    wanting('bob', extra({ scopes: ['1'] })),
    USER_INFO,
    [
      'impersonate:user-info users (authentication.k8s.io) /bob',
      `impersonate:user-info userextras (authentication.k8s.io) /: ${INVALID}: "scopes": must be a domain-prefixed path (such as "acme.io/foo")`,
      'impersonate:user-info userextras/scopes (authentication.k8s.io) /1',
    ],
  ],
  [
    'extra without a domain, plainly',
    wanting('bob', extra({ scopes: ['1'] })),
    PLAIN,
    ['impersonate users () /bob', 'impersonate userextras/scopes (authentication.k8s.io) /1'],
  ],
];

for (const [name, wanted, mode, asked] of QUESTIONS) {
  test(`what has to be allowed: ${name}`, () => assert.deepEqual(told(wanted, mode), asked));
}

test('what is done in the name of others is asked for by its own verb', () => {
  const request = { verb: 'list', resource: 'pods', user: JOE } as RequestAttributes;
  assert.equal(onBehalf(USER_INFO, request)?.verb, 'impersonate-on:user-info:list');
  assert.equal(onBehalf(PLAIN, request), undefined);
});

test('the agent of a node is asked about as the same one on all nodes', () => {
  const [mode] = modesOf(wanting('system:node:n1'), AGENT);
  const keys = [NODE_NAME, 'authentication.kubernetes.io/pod-name'];
  assert.deepEqual(mode?.caller.extra, { 'authentication.kubernetes.io/associated-node-keys': keys });
});

test('groups of those who named none', () => {
  const account = ['system:serviceaccounts', 'system:serviceaccounts:a'];
  assert.deepEqual(ownGroups(wanting('system:serviceaccount:a:b'), PLAIN), account);
  assert.deepEqual(ownGroups(wanting('system:node:n1'), { name: 'arbitrary-node', caller: JOE }), ['system:nodes']);
  assert.deepEqual(ownGroups(wanting('system:node:n1'), PLAIN), []);
});
