import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTokenKeys } from '../../node/token-keys.ts';
import { createPolicy } from '../../policy.ts';
import { countRests } from '../../testing/slow-steps.ts';
import { startTestServer } from '../../testing/test-server.ts';
import type { TestServer } from '../../testing/test-server.ts';

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const MAPS = '/api/v1/namespaces/a/configmaps';
const RULES = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];

async function start(): Promise<TestServer> {
  const server = await startTestServer({
    user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
    policy: (world) => createPolicy(world, { tokenKeys: createTokenKeys() }),
  });
  await server.ask('POST /api/v1/namespaces', { metadata: { name: 'a', labels: { team: 'x' } } });
  return server;
}

async function put({ ask }: TestServer, spec: object, binding: object = {}): Promise<void> {
  const whole = { matchConstraints: { resourceRules: RULES }, ...spec };
  const policy = await ask(`POST ${POLICIES}`, { metadata: { name: 'p' }, spec: whole });
  assert.deepEqual([policy.code, policy.warnings], [201, []], JSON.stringify(policy.body));
  const bound = { policyName: 'p', validationActions: ['Deny'], ...binding };
  const made = await ask(`POST ${BINDINGS}`, { metadata: { name: 'b' }, spec: bound });
  assert.equal(made.code, 201, JSON.stringify(made.body));
}

const map = (name: string, data: object = {}): object => ({ metadata: { name }, data });
const DENIED = `ValidatingAdmissionPolicy 'p' with binding 'b' denied request`;

interface Row {
  readonly name: string;
  readonly spec: object;
  readonly binding?: object;
  readonly data?: object;
  /** The code, and what is said after who denied it; absent: let through. */
  readonly denied?: readonly [code: number, why: string];
  readonly warnings?: readonly string[];
}

const only = (expression: string, more: object = {}): object => ({ validations: [{ expression, ...more }] });

const ROWS: readonly Row[] = [
  {
    name: 'what holds',
    spec: only("object.metadata.name == 'm' && request.operation == 'CREATE' && oldObject == null"),
  },
  {
    name: 'what does not hold',
    spec: only("object.metadata.name == 'x'"),
    denied: [422, "failed expression: object.metadata.name == 'x'"],
  },
  {
    name: 'a message and a reason',
    spec: only('false', { message: 'never ', reason: 'Forbidden' }),
    denied: [403, 'never'],
  },
  {
    name: 'an own message',
    spec: only('false', { message: 'never', messageExpression: "'not ' + object.metadata.name" }),
    denied: [422, 'not m'],
  },
  {
    name: 'an own message that fails gives way',
    spec: only('false', { message: 'never', messageExpression: 'string(object.data.nope)' }),
    denied: [422, 'never'],
  },
  {
    name: 'variables, of which later ones see earlier ones',
    spec: {
      variables: [
        { name: 'keys', expression: 'object.data.map(k, k)' },
        { name: 'count', expression: 'size(variables.keys)' },
      ],
      ...only('variables.count < 2', { messageExpression: "'has %d'.format([variables.count])" }),
    },
    data: { a: '1', b: '2' },
    denied: [422, 'has 3'],
  },
  {
    name: 'a variable that fails',
    spec: { variables: [{ name: 'v', expression: 'object.nope' }], ...only('variables.v == 1') },
    denied: [
      422,
      `expression 'variables.v == 1' resulted in error: composited variable "v" fails to evaluate: no such key: nope`,
    ],
  },
  {
    name: 'the namespace and who asks',
    spec: only(
      "namespaceObject.metadata.labels.team == 'x' && request.userInfo.username == 'admin' && 'system:masters' in request.userInfo.groups",
    ),
  },
  {
    name: 'what somebody may do',
    spec: only(
      "authorizer.requestResource.check('create').allowed() && !authorizer.serviceAccount('a', 'b').group('').resource('secrets').check('get').allowed()",
    ),
  },
  {
    name: 'conditions that do not hold',
    spec: { ...only('false'), matchConditions: [{ name: 'c', expression: "object.metadata.name != 'm'" }] },
  },
  {
    name: 'an expression that fails',
    spec: only("object.data.nope == 'x'"),
    denied: [422, "expression 'object.data.nope == 'x'' resulted in error: no such key: nope"],
  },
  {
    name: 'an expression that fails and is ignored',
    spec: { failurePolicy: 'Ignore', ...only("object.data.nope == 'x'") },
  },
  {
    name: 'a warning',
    spec: only('false', { message: 'careful' }),
    binding: { validationActions: ['Warn', 'Audit'] },
    warnings: ["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': careful"],
  },
  {
    name: 'annotations that cannot be worked out',
    spec: { auditAnnotations: [{ key: 'k', valueExpression: 'string(object.data.nope)' }] },
    denied: [422, "expression 'string(object.data.nope)' resulted in error: no such key: nope"],
  },
  {
    name: 'a binding that is about other namespaces',
    spec: only('false'),
    binding: { matchResources: { namespaceSelector: { matchLabels: { team: 'y' } } } },
  },
  {
    name: 'rules that leave an object out',
    spec: {
      ...only('false'),
      matchConstraints: { resourceRules: RULES, excludeResourceRules: [{ ...RULES[0], resourceNames: ['m'] }] },
    },
  },
  {
    name: 'a budget that ends',
    spec: only("'a'.matches('a') && lists.range(700).all(a, lists.range(700).all(b, a + b >= 0))"),
    data: { a: '1' },
    denied: [
      422,
      "expression ''a'.matches('a') && lists.range(700).all(a, lists.range(700).all(b, a + b >= 0))' resulted in error: operation cancelled: actual cost limit exceeded",
    ],
  },
];

describe('validating policies', () => {
  for (const { name, spec, binding, data = {}, denied, warnings = [] } of ROWS) {
    test(name, async () => {
      const server = await start();
      await put(server, spec, binding);
      const made = await server.ask(`POST ${MAPS}`, map('m', { x: 'y', ...data }));
      if (denied === undefined)
        assert.deepEqual([made.code, made.warnings], [201, warnings], JSON.stringify(made.body));
      else {
        const message = `configmaps "m" is forbidden: ${DENIED}: ${denied[1]}`;
        assert.deepEqual([made.code, made.body['message']], [denied[0], message]);
      }
    });
  }

  test('parameters: an object by name, some by their labels, none', async () => {
    const server = await start();
    const { ask } = server;
    const limit = (name: string, max: string): object => ({
      metadata: { name, labels: { limit: 'yes' } },
      data: { max },
    });
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
    const check = 'int(object.data.n) <= int(params.data.max)';
    const spec = { paramKind, matchConditions: [{ name: 'n', expression: 'has(object.data.n)' }], ...only(check) };
    const ref = { name: 'limit', namespace: 'a', parameterNotFoundAction: 'Deny' };
    await put(server, spec, { paramRef: ref });
    const missing = await ask(`POST ${MAPS}`, map('m', { n: '1' }));
    assert.match(
      String(missing.body['message']),
      /failed to configure binding: no params found for policy binding with `Deny`/,
    );
    const { body } = await ask(`GET ${BINDINGS}/b`);
    const bind = (paramRef: object): Promise<unknown> =>
      ask(`PATCH ${BINDINGS}/b`, { spec: { paramRef } }, { 'content-type': 'application/merge-patch+json' });
    await bind({ parameterNotFoundAction: 'Allow' });
    assert.equal((await ask(`POST ${MAPS}`, map('m', { n: '1' }))).code, 201);
    await ask(`POST ${MAPS}`, limit('limit', '5'));
    assert.equal((await ask(`POST ${MAPS}`, map('n', { n: '5' }))).code, 201);
    assert.equal((await ask(`POST ${MAPS}`, map('o', { n: '6' }))).code, 422);
    assert.ok(body);
    await bind({ name: null, selector: { matchLabels: { limit: 'yes' } } });
    await ask(`POST ${MAPS}`, limit('strict', '2'));
    assert.equal((await ask(`POST ${MAPS}`, map('p', { n: '3' }))).code, 422);
    assert.equal((await ask(`POST ${MAPS}`, map('p', { n: '2' }))).code, 201);
  });

  test('a kind of parameters that nobody serves is told of the policy', async () => {
    const server = await start();
    await put(server, { paramKind: { apiVersion: 'x.io/v1', kind: 'Nope' }, ...only('true') });
    const { body } = await server.ask(`POST ${MAPS}`, map('m'));
    assert.equal(
      body['message'],
      `configmaps "m" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'x.io/v1, Kind=Nope'`,
    );
  });

  test('changes, deletions and what goes away count at once', async () => {
    const server = await start();
    const { ask } = server;
    await put(server, only("request.operation != 'DELETE' && (oldObject == null || object.data == oldObject.data)"));
    assert.equal((await ask(`POST ${MAPS}`, map('m', { a: '1' }))).code, 201);
    const merge = { 'content-type': 'application/merge-patch+json' };
    assert.equal((await ask(`PATCH ${MAPS}/m`, { data: { a: '2' } }, merge)).code, 422);
    assert.equal((await ask(`PATCH ${MAPS}/m`, { metadata: { labels: { a: 'b' } } }, merge)).code, 200);
    assert.equal((await ask(`DELETE ${MAPS}/m`)).code, 422);
    assert.equal((await ask(`DELETE ${BINDINGS}/b`)).code, 200);
    assert.equal((await ask(`DELETE ${MAPS}/m`)).code, 200);
  });

  test('questions about callers are answered whatever a policy of everything says; tokens are met by it', async () => {
    const server = await start();
    const everything = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }];
    await server.ask('POST /api/v1/namespaces/a/serviceaccounts', { metadata: { name: 's' } });
    await put(server, { matchConstraints: { resourceRules: everything }, ...only('false') });
    const access = { spec: { user: 'x', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'a' } } };
    const asked: readonly (readonly [path: string, body: object])[] = [
      ['/apis/authentication.k8s.io/v1/selfsubjectreviews', {}],
      ['/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 't' } }],
      ['/apis/authorization.k8s.io/v1/subjectaccessreviews', access],
      [
        '/apis/authorization.k8s.io/v1/namespaces/a/localsubjectaccessreviews',
        { metadata: { namespace: 'a' }, ...access },
      ],
      [
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        { spec: { nonResourceAttributes: { verb: 'get', path: '/' } } },
      ],
      ['/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace: 'a' } }],
    ];
    for (const [path, body] of asked) {
      const { code, body: answer } = await server.ask(`POST ${path}`, body);
      assert.equal(code, 201, `${path}: ${JSON.stringify(answer)}`);
    }
    assert.equal((await server.ask('POST /api/v1/namespaces/a/serviceaccounts/s/token', { spec: {} })).code, 422);
  });

  test('expressions that cannot be read are refused with the policy', async () => {
    const { ask } = await start();
    const spec = {
      matchConstraints: { resourceRules: RULES },
      variables: [{ name: 'a', expression: 'object.' }],
      validations: [{ expression: 'object.x', messageExpression: '1' }],
      auditAnnotations: [{ key: 'k', valueExpression: '1' }],
      matchConditions: [{ name: 'c', expression: 'variables.a' }],
    };
    const { code, body } = await ask(`POST ${POLICIES}`, { metadata: { name: 'p' }, spec });
    assert.equal(code, 422);
    const { causes } = body['details'] as { causes: { field: string; message: string }[] };
    assert.deepEqual(
      causes.map(({ field, message }) => `${field}: ${message.split('\n')[0] ?? ''}`),
      [
        `spec.matchConditions[0].expression: Invalid value: "variables.a": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')`,
        `spec.variables[0].expression: Invalid value: "object.": compilation failed: ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'`,
        'spec.validations[0].expression: Invalid value: "object.x": must evaluate to bool but got dyn',
        'spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int',
        'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
      ],
    );
  });
});

test('a policy of very many expressions is compiled once, and each request rests after each of them', async () => {
  const COUNT = 200;
  const server = await start();
  await put(server, {
    validations: Array.from({ length: COUNT }, (_, i) => ({ expression: `object.metadata.name != 'n${i}'` })),
  });
  const rests = countRests(server.clock);
  rests.slow();
  const made = async (name: string): Promise<number> => {
    const before = rests.count;
    const { code, body } = await server.ask(`POST ${MAPS}`, map(name));
    assert.equal(code, 201, JSON.stringify(body));
    return rests.count - before;
  };
  const together = await Promise.all(['a', 'b', 'c'].map(made));
  const later = await made('d');
  assert.ok(later >= COUNT, `${later}`);
  // Three that come at once do the same work together.
  assert.ok(Math.max(...together) >= 2 * COUNT && Math.max(...together) < 4 * 3 * COUNT, together.join(' '));
  assert.equal((await server.ask(`POST ${MAPS}`, map('n77'))).code, 422);
});
