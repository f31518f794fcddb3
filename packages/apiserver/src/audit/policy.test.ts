import assert from 'node:assert/strict';
import test from 'node:test';
import type { UserInfo } from '@binnacle/machinery';
import { parsePath } from '../request/path.ts';
import type { RequestInfo } from '../request/info.ts';
import { AuditPolicyError } from './errors.ts';
import { readAuditPolicy } from './policy.ts';
import type { AuditPolicy } from './policy.ts';

function policy(rules: readonly object[], more: object = {}): AuditPolicy {
  return readAuditPolicy({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules, ...more });
}

function info(line: string): RequestInfo {
  const [verb = '', path = ''] = line.split(' ');
  return { ...parsePath(path), path, verb };
}

const JANE: UserInfo = { name: 'jane', groups: ['devs', 'system:authenticated'] };
const LOG = 'get /api/v1/namespaces/a/pods/p/log';
const POD = 'get /api/v1/namespaces/a/pods/p';

const ROWS: readonly (readonly [name: string, rule: object, line: string, matches: boolean])[] = [
  ['nothing said', {}, POD, true],
  ['a user', { users: ['jane'] }, POD, true],
  ['another user', { users: ['joe'] }, POD, false],
  ['a group', { userGroups: ['devs'] }, POD, true],
  ['another group', { userGroups: ['ops'] }, POD, false],
  ['a verb', { verbs: ['get'] }, POD, true],
  ['another verb', { verbs: ['delete'] }, POD, false],
  ['a namespace', { namespaces: ['a'] }, POD, true],
  ['another namespace', { namespaces: ['b'] }, POD, false],
  ['the cluster is the empty namespace', { namespaces: [''] }, 'list /api/v1/nodes', true],
  ['namespaces are not for paths', { namespaces: [''] }, 'get /version', false],
  ['all resources of a group', { resources: [{ group: '' }] }, POD, true],
  ['another group', { resources: [{ group: 'apps' }] }, POD, false],
  ['every group', { resources: [{ group: '*' }] }, POD, true],
  ['a resource', { resources: [{ resources: ['pods'] }] }, POD, true],
  ['a subresource is not its resource', { resources: [{ resources: ['pods'] }] }, LOG, false],
  ['a subresource', { resources: [{ resources: ['pods/log'] }] }, LOG, true],
  ['all subresources', { resources: [{ resources: ['pods/*'] }] }, LOG, true],
  ['with their resource', { resources: [{ resources: ['pods/*'] }] }, POD, true],
  ['a subresource of all', { resources: [{ resources: ['*/log'] }] }, LOG, true],
  ['which is no resource', { resources: [{ resources: ['*/log'] }] }, POD, false],
  ['everything', { resources: [{ resources: ['*'] }] }, LOG, true],
  ['a name', { resources: [{ resources: ['pods'], resourceNames: ['p'] }] }, POD, true],
  ['another name', { resources: [{ resources: ['pods'], resourceNames: ['q'] }] }, POD, false],
  ['a path', { nonResourceURLs: ['/version'] }, 'get /version', true],
  ['below a path', { nonResourceURLs: ['/healthz*'] }, 'get /healthz/ping', true],
  ['not without a star', { nonResourceURLs: ['/healthz'] }, 'get /healthz/ping', false],
  ['paths are not for resources', { nonResourceURLs: ['*'] }, POD, false],
];

for (const [name, rule, line, matches] of ROWS) {
  test(`rules: ${name}`, () => {
    const { level } = policy([{ level: 'Metadata', ...rule }]).planFor(JANE, info(line));
    assert.equal(level, matches ? 'Metadata' : 'None');
  });
}

test('the first rule that matches counts, with the stages of both and its own word on managed fields', () => {
  const both = policy(
    [{ level: 'Request', verbs: ['get'], omitStages: ['Panic'], omitManagedFields: false }, { level: 'Metadata' }],
    { omitStages: ['RequestReceived'], omitManagedFields: true },
  );
  const first = both.planFor(JANE, info(POD));
  assert.deepEqual(
    [first.level, [...first.omitStages], first.omitManagedFields],
    ['Request', ['RequestReceived', 'Panic'], false],
  );
  const second = both.planFor(undefined, info('list /api/v1/pods'));
  assert.deepEqual(
    [second.level, [...second.omitStages], second.omitManagedFields],
    ['Metadata', ['RequestReceived'], true],
  );
});

test('who is not known is of no user and no group', () => {
  assert.equal(policy([{ level: 'Metadata', users: ['jane'] }]).planFor(undefined, info(POD)).level, 'None');
  assert.equal(policy([{ level: 'Metadata', userGroups: ['devs'] }]).planFor(undefined, info(POD)).level, 'None');
});

const RULE = { level: 'Metadata' };
const REFUSED: readonly (readonly [name: string, rules: readonly object[], more: object, says: RegExp])[] = [
  ['no rules', [], {}, /loaded illegal policy with 0 rules/],
  ['an unknown field', [{ ...RULE, user: 'x' }], {}, /unknown field "rules\[0\].user"/],
  ['an unknown field of the policy', [RULE], { levels: 1 }, /unknown field "levels"/],
  ['no level', [{}], {}, /rules\[0\].level: Required value/],
  [
    'an unknown level',
    [{ level: 'All' }],
    {},
    /rules\[0\].level: Unsupported value: "All": supported values: "None", "Metadata"/,
  ],
  [
    'an unknown stage',
    [{ ...RULE, omitStages: ['X'] }],
    {},
    /rules\[0\].omitStages\[0\]: Invalid value: "X": allowed stages are RequestReceived,/,
  ],
  ['an unknown stage of the policy', [RULE], { omitStages: ['X'] }, /omitStages\[0\]: Invalid value: "X"/],
  ['a path without slash', [{ ...RULE, nonResourceURLs: ['x'] }], {}, /must begin with a '\/' character/],
  ['a star within', [{ ...RULE, nonResourceURLs: ['/a*/b'] }], {}, /must be the final character of the rule/],
  [
    'names without resource',
    [{ ...RULE, resources: [{ resourceNames: ['a'] }] }],
    {},
    /requires at least one resource/,
  ],
  [
    'a group with a version',
    [{ ...RULE, resources: [{ group: 'apps/v1' }] }],
    {},
    /resources.group: Invalid value: "apps\/v1"/,
  ],
  [
    'paths and resources',
    [{ ...RULE, nonResourceURLs: ['*'], namespaces: ['a'] }],
    {},
    /cannot apply to both regular resources and non-resource URLs/,
  ],
  ['a number for a text', [{ level: 1 }], {}, /level/],
  ['another version', [RULE], { apiVersion: 'audit.k8s.io/v1beta1' }, /expected Policy of audit.k8s.io\/v1/],
];

for (const [name, rules, more, says] of REFUSED) {
  test(`refused: ${name}`, () => {
    assert.throws(
      () => policy(rules, more),
      (error) => error instanceof AuditPolicyError && says.test(error.message),
    );
  });
}
