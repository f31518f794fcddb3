import assert from 'node:assert/strict';
import test from 'node:test';
import { checkChangedAuthorizers, readAuthorizationFile } from './authorization-file.ts';
import { AuthenticationConfigError } from './errors.ts';

const HOOK = {
  authorizedTTL: '1m30s',
  unauthorizedTTL: '30s',
  timeout: '3s',
  subjectAccessReviewVersion: 'v1',
  matchConditionSubjectAccessReviewVersion: 'v1',
  failurePolicy: 'Deny',
  connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/etc/hook' },
  matchConditions: [{ expression: "request.user != 'x'" }],
};

function file(authorizers: readonly object[], more: object = {}): object {
  return { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthorizationConfiguration', authorizers, ...more };
}

function hook(more: object): object {
  return file([{ type: 'Webhook', name: 'h', webhook: { ...HOOK, ...more } }]);
}

test('a chain, in its order, with upstream defaults', () => {
  const { cacheUnauthorizedRequests: _, ...rest } = { ...HOOK, cacheUnauthorizedRequests: undefined };
  const read = readAuthorizationFile(
    file([
      { type: 'Webhook', name: 'first', webhook: { ...rest, cacheUnauthorizedRequests: false } },
      { type: 'Node', name: 'node' },
      { type: 'RBAC', name: 'rbac' },
      { type: 'Webhook', name: 'last', webhook: { ...HOOK, authorizedTTL: '', matchConditions: [] } },
    ]),
  );
  assert.deepEqual(
    read.map(({ type, name }) => `${type} ${name}`),
    ['Webhook first', 'Node node', 'RBAC rbac', 'Webhook last'],
  );
  assert.deepEqual(read[0], {
    type: 'Webhook',
    name: 'first',
    kubeConfigFile: '/etc/hook',
    webhook: {
      version: 'v1',
      authorizedTtlMs: 90_000,
      unauthorizedTtlMs: 0,
      timeoutMs: 3000,
      failurePolicy: 'Deny',
      matchConditions: ["request.user != 'x'"],
    },
  });
  assert.equal(read[3]?.type === 'Webhook' && read[3].webhook.authorizedTtlMs, 300_000);
});

const ROWS: readonly (readonly [name: string, document: object, says: RegExp])[] = [
  ['nobody', file([]), /authorizers: Required value: at least one authorization mode must be defined/],
  ['an unknown field', file([{ type: 'RBAC', name: 'r', x: 1 }]), /unknown field "authorizers\[0\].x"/],
  ['another version', file([], { apiVersion: 'v1' }), /expected AuthorizationConfiguration/],
  ['no type', file([{ name: 'a' }]), /authorizers\[0\].type: Required value/],
  ['an unknown type', file([{ type: 'ABAC', name: 'a' }]), /type: Unsupported value: "ABAC"/],
  [
    'a type twice',
    file([
      { type: 'RBAC', name: 'a' },
      { type: 'RBAC', name: 'b' },
    ]),
    /authorizers\[1\].type: Duplicate value: "RBAC"/,
  ],
  ['no name', file([{ type: 'RBAC' }]), /authorizers\[0\].name: Required value/],
  [
    'a name twice',
    file([
      { type: 'RBAC', name: 'a' },
      { type: 'Node', name: 'a' },
    ]),
    /authorizers\[1\].name: Duplicate value/,
  ],
  [
    'one of the house by another name',
    file([{ type: 'RBAC', name: 'roles' }]),
    /^expected name rbac for authorizer RBAC instead of roles$/,
  ],
  ['a name that is none', file([{ type: 'RBAC', name: 'A' }]), /authorizer name is invalid/],
  ['a webhook of roles', file([{ type: 'RBAC', name: 'a', webhook: HOOK }]), /may only be specified when type=Webhook/],
  ['no webhook', file([{ type: 'Webhook', name: 'a' }]), /webhook: Required value: required when type=Webhook/],
  ['no timeout', hook({ timeout: '' }), /webhook.timeout: Required value/],
  ['a long timeout', hook({ timeout: '31s' }), /must be > 0s and <= 30s/],
  ['a time that is none', hook({ authorizedTTL: 'soon' }), /authorizedTTL: Invalid value: "soon"/],
  ['no policy', hook({ failurePolicy: '' }), /failurePolicy: Required value/],
  [
    'another policy',
    hook({ failurePolicy: 'Allow' }),
    /failurePolicy: Unsupported value: "Allow": supported values: "NoOpinion", "Deny"/,
  ],
  ['another review', hook({ subjectAccessReviewVersion: 'v2' }), /subjectAccessReviewVersion: Unsupported value/],
  [
    'conditions of no version',
    hook({ matchConditionSubjectAccessReviewVersion: '' }),
    /required if match conditions are specified/,
  ],
  ['in a cluster', hook({ connectionInfo: { type: 'InClusterConfig' } }), /this server does not run in a cluster/],
  [
    'a relative file',
    hook({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: 'x' } }),
    /must be an absolute path/,
  ],
  [
    'a condition that does not compile',
    hook({ matchConditions: [{ expression: 'request.' }] }),
    /matchConditions\[0\].expression: Invalid value: "request.": compilation failed/,
  ],
  ['a condition of another type', hook({ matchConditions: [{ expression: 'request.user' }] }), /must evaluate to bool/],
  [
    'a field that is none',
    hook({ matchConditions: [{ expression: "request.username == ''" }] }),
    /undefined field 'username'/,
  ],
  [
    'a condition twice',
    hook({ matchConditions: [{ expression: 'true' }, { expression: 'true' }] }),
    /Duplicate value: "true"/,
  ],
];

for (const [name, document, says] of ROWS) {
  test(`refused: ${name}`, () => {
    assert.throws(
      () => readAuthorizationFile(document),
      (error) => error instanceof AuthenticationConfigError && says.test(error.message),
    );
  });
}

const chain = (...types: string[]): { type: string }[] => types.map((type) => ({ type }));
const CHANGES: readonly (readonly [first: string[], next: string[], says: string | undefined])[] = [
  [['Node', 'RBAC'], ['RBAC', 'Webhook', 'Node', 'AlwaysDeny'], undefined],
  [['Webhook', 'RBAC'], ['RBAC'], undefined],
  [['Node', 'RBAC', 'AlwaysDeny'], ['Webhook'], 'missing required types: [AlwaysDeny Node RBAC]'],
  [['RBAC'], ['RBAC', 'Node'], 'authorizer type Node is not allowed if it was not enabled at initial server startup'],
];
for (const [first, next, says] of CHANGES) {
  test(`a server that began with ${first.join()} is told ${next.join()}`, () => {
    const check = (): void => checkChangedAuthorizers(chain(...first), chain(...next));
    if (says === undefined) assert.doesNotThrow(check);
    else assert.throws(check, { message: says });
  });
}
