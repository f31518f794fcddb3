import assert from 'node:assert/strict';
import test from 'node:test';
import type { RequestInfo } from '../request/info.ts';
import { parsePath } from '../request/path.ts';
import { mandatoryObjects, suggestedObjects } from './default-objects.ts';
import { compileFlowSchema, distinguisherOf, FlowClassifier } from './flow-rules.ts';

const DEFAULTS = [mandatoryObjects(), suggestedObjects()].flatMap(({ schemas }) => schemas.map(compileFlowSchema));
const ALL = 'system:authenticated';

function info(line: string): RequestInfo {
  const [verb = '', path = ''] = line.split(' ');
  return { ...parsePath(path), path, verb };
}

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n';
const ACCOUNT = 'system:serviceaccount:';

const ROWS: readonly (readonly [user: string, groups: readonly string[], line: string, schema: string])[] = [
  ['admin', ['system:masters', ALL], 'delete /api/v1/nodes/n', 'exempt'],
  ['system:anonymous', ['system:unauthenticated'], 'get /readyz', 'probes'],
  ['system:anonymous', ['system:unauthenticated'], 'get /livez/ping', 'probes'],
  ['system:anonymous', ['system:unauthenticated'], 'get /version', 'global-default'],
  ['system:kube-scheduler', [ALL], `update ${LEASE}`, 'system-leader-election'],
  ['system:kube-scheduler', [ALL], `delete ${LEASE}`, 'kube-scheduler'],
  ['system:kube-controller-manager', [ALL], 'create /api/v1/namespaces/a/pods', 'kube-controller-manager'],
  [`${ACCOUNT}kube-system:x`, ['system:serviceaccounts', ALL], `get ${LEASE}`, 'system-leader-election'],
  [`${ACCOUNT}kube-system:x`, ['system:serviceaccounts', ALL], 'list /api/v1/pods', 'kube-system-service-accounts'],
  [`${ACCOUNT}kube-systems:x`, ['system:serviceaccounts', ALL], 'list /api/v1/pods', 'service-accounts'],
  ['system:node:n', ['system:nodes', ALL], `update ${LEASE}`, 'system-node-high'],
  ['system:node:n', ['system:nodes', ALL], 'patch /api/v1/nodes/n/status', 'system-node-high'],
  ['system:node:n', ['system:nodes', ALL], 'get /api/v1/nodes/n/proxy', 'system-nodes'],
  ['system:node:n', ['system:nodes', ALL], 'patch /api/v1/namespaces/a/pods/p/status', 'system-nodes'],
  ['system:node:n', ['system:nodes', ALL], 'get /version', 'system-nodes'],
  ['jane', [ALL], 'list /api/v1/pods', 'global-default'],
];

for (const [user, groups, line, schema] of ROWS) {
  test(`${user}: ${line} is of ${schema}`, () => {
    const found = new FlowClassifier(DEFAULTS).classify({ name: user, groups }, info(line));
    assert.equal(found?.name, schema);
  });
}

test('who is in neither group is of none', () => {
  assert.equal(new FlowClassifier(DEFAULTS).classify({ name: 'x', groups: [] }, info('get /version')), undefined);
});

test('what makes a flow of its own', () => {
  const user = { name: 'jane', groups: [] };
  const of = (name: string): string => {
    const schema = DEFAULTS.find((one) => one.name === name);
    assert.ok(schema !== undefined);
    return distinguisherOf(schema, user, info('list /api/v1/namespaces/a/pods'));
  };
  assert.deepEqual(['global-default', 'kube-scheduler', 'exempt'].map(of), ['jane', 'a', '']);
});

const RULE_ROWS: readonly (readonly [name: string, rule: object, line: string, matches: boolean])[] = [
  ['a namespace of the list', { namespaces: ['a'] }, 'list /api/v1/namespaces/a/pods', true],
  ['another namespace', { namespaces: ['b'] }, 'list /api/v1/namespaces/a/pods', false],
  ['all namespaces are not the cluster', { namespaces: ['*'] }, 'list /api/v1/pods', false],
  ['the cluster', { namespaces: [], clusterScope: true }, 'list /api/v1/pods', true],
  ['the cluster, of a rule without namespaces', { namespaces: null, clusterScope: true }, 'list /api/v1/pods', true],
  ['no namespace', { namespaces: null, clusterScope: true }, 'list /api/v1/namespaces/a/pods', false],
  ['the group', { namespaces: ['*'], apiGroups: ['apps'] }, 'list /api/v1/namespaces/a/pods', false],
  [
    'a subresource is not its resource',
    { namespaces: ['*'], resources: ['pods'] },
    'get /api/v1/namespaces/a/pods/p/log',
    false,
  ],
  ['a subresource', { namespaces: ['*'], resources: ['pods/log'] }, 'get /api/v1/namespaces/a/pods/p/log', true],
  ['the verb', { namespaces: ['*'], verbs: ['create'] }, 'list /api/v1/namespaces/a/pods', false],
];

for (const [name, rule, line, matches] of RULE_ROWS) {
  test(`resource rules: ${name}`, () => {
    const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] };
    const schema = compileFlowSchema({
      metadata: { name: 's' },
      spec: {
        priorityLevelConfiguration: { name: 'l' },
        matchingPrecedence: 1,
        rules: [{ subjects: [{ kind: 'Group', group: { name: '*' } }], resourceRules: [{ ...all, ...rule }] }],
      },
    });
    const found = new FlowClassifier([schema]).classify({ name: 'x', groups: [] }, info(line));
    assert.equal(found !== undefined, matches);
  });
}
