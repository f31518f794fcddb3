import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HttpCall, HttpCaller, HttpReply } from '@binnacle/base';
import { createTokenKeys } from '../../node/token-keys.ts';
import { createPolicy } from '../../policy.ts';
import { boatsOf } from '../../testing/boats.ts';
import { startTestServer } from '../../testing/test-server.ts';
import type { TestServer } from '../../testing/test-server.ts';

interface Question {
  readonly uid: string;
  readonly object: {
    readonly metadata: { readonly labels?: { readonly [name: string]: string } };
    readonly data?: object;
  } | null;
  readonly oldObject: object | null;
  readonly operation: string;
  readonly resource: { readonly version: string };
}

/** What a webhook answers at a path; a number: an HTTP status. */
type Answer = (question: Question) => object | number;

interface Asked {
  readonly path: string;
  readonly question: Question;
}

const HEAD = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };

class FakeCaller implements HttpCaller {
  readonly asked: Asked[] = [];
  answers: { readonly [path: string]: Answer } = {};

  request({ url, body }: HttpCall): Promise<HttpReply> {
    const { pathname } = new URL(url);
    assert(body instanceof Uint8Array);
    const { request } = JSON.parse(new TextDecoder().decode(body)) as { readonly request: Question };
    this.asked.push({ path: pathname, question: request });
    const answer = this.answers[pathname]?.(request) ?? 404;
    const isStatus = typeof answer === 'number';
    const text = isStatus
      ? 'went wrong'
      : JSON.stringify({ ...HEAD, response: { uid: request.uid, allowed: true, ...answer } });
    return Promise.resolve({ status: isStatus ? answer : 200, headers: {}, body: once(text) });
  }

  upgrade(): Promise<HttpReply> {
    return Promise.reject(new TypeError('webhooks are not upgraded'));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(new TextEncoder().encode(text));
}

const caller = new FakeCaller();

async function start(answers: { readonly [path: string]: Answer }): Promise<TestServer> {
  caller.answers = answers;
  caller.asked.length = 0;
  const started = await startTestServer({
    user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
    policy: (world) => createPolicy(world, { tokenKeys: createTokenKeys(), http: caller }),
  });
  await started.ask('POST /api/v1/namespaces', { metadata: { name: 'a' } });
  return started;
}

async function configure(
  { ask }: TestServer,
  kind: 'Mutating' | 'Validating',
  hooks: readonly object[],
): Promise<void> {
  const webhooks = hooks.map((hook, i) => ({
    name: `h${i}.example.com`,
    clientConfig: { url: `https://127.0.0.1:1/h${i}` },
    rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['configmaps'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...hook,
  }));
  const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`;
  const made = await ask(`POST ${path}`, { metadata: { name: 'hooks' }, webhooks });
  assert.equal(made.code, 201, JSON.stringify(made.body));
}

const MAPS = '/api/v1/namespaces/a/configmaps';
const map = (name: string, labels = {}): object => ({ metadata: { name, labels } });
const patched = (...operations: readonly object[]): object => ({
  patchType: 'JSONPatch',
  patch: btoa(JSON.stringify(operations)),
});
const label = (name: string): object => patched({ op: 'add', path: `/metadata/labels/${name}`, value: 'x' });

describe('webhooks that change', () => {
  test('one after the other; who wants to sees what came after, once', async () => {
    const server = await start({
      '/h0': ({ object }) => (object?.metadata.labels?.['second'] === undefined ? label('first') : label('again')),
      '/h1': () => label('second'),
    });
    await configure(server, 'Mutating', [{ reinvocationPolicy: 'IfNeeded' }, {}]);
    const made = await server.ask(`POST ${MAPS}`, map('m', { own: '1' }));
    assert.deepEqual(made.body.metadata.labels, { own: '1', first: 'x', second: 'x', again: 'x' });
    assert.deepEqual(
      caller.asked.map(({ path }) => path),
      ['/h0', '/h1', '/h0'],
    );
  });

  test('what they make stays in its namespace', async () => {
    const elsewhere = patched({ op: 'add', path: '/metadata/namespace', value: 'kube-system' });
    const server = await start({ '/h0': () => elsewhere });
    await configure(server, 'Mutating', [{}]);
    const made = await server.ask(`POST ${MAPS}`, map('m'));
    assert.deepEqual(
      [made.code, made.body['message']],
      [400, 'the namespace of the provided object does not match the namespace sent on the request'],
    );
    caller.answers = { '/h0': () => ({}) };
    await server.ask(`POST ${MAPS}`, map('m'));
    caller.answers = { '/h0': () => elsewhere };
    const changed = await server.ask(`PUT ${MAPS}/m`, map('m', { a: 'b' }));
    assert.deepEqual([changed.code, changed.body.metadata?.namespace], [422, undefined]);
  });

  test('a hundred thousand warnings cost no more than those that are told', async () => {
    const warnings = Array.from({ length: 100_000 }, (_, at) => `warning ${at}`);
    const server = await start({ '/h0': () => ({ warnings }) });
    await configure(server, 'Mutating', [{}]);
    const made = await server.ask(`POST ${MAPS}`, map('m'));
    assert.deepEqual([made.code, made.warnings.length < 2000], [201, true]);
  });

  test('what they make is an object of the kind, with no fields of their own', async () => {
    const server = await start({
      '/h0': () =>
        patched({ op: 'add', path: '/color', value: 'red' }, { op: 'add', path: '/data', value: { k: 'v' } }),
    });
    await configure(server, 'Mutating', [{}]);
    const { body } = await server.ask(`POST ${MAPS}`, map('m'));
    assert.deepEqual([body['data'], 'color' in body], [{ k: 'v' }, false]);
  });

  test('what they make calls itself what it is', async () => {
    for (const [path, value] of [
      ['/kind', 'Secret'],
      ['/apiVersion', 'apps/v1'],
    ]) {
      const server = await start({ '/h0': () => patched({ op: 'add', path, value }) });
      await configure(server, 'Mutating', [{}]);
      const made = await server.ask(`POST ${MAPS}`, map('m'));
      assert.deepEqual([made.code, made.body['reason']], [500, 'InternalError'], path);
    }
  });

  const add = (path: string, value: unknown): object => ({ op: 'add', path, value });
  const pods = { rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['*'], resources: ['pods'] }] };
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const PODS = '/api/v1/namespaces/a/pods';

  test('they say nothing of what the server says, and what they add counts', async () => {
    const status = { phase: 'Succeeded', podIP: '192.0.2.9' };
    const server = await start({
      '/h0': () =>
        patched(
          add('/status', status),
          add('/metadata/uid', 'own'),
          add('/metadata/creationTimestamp', '2001-01-01T00:00:00Z'),
          add('/metadata/generation', 7),
          add('/spec/containers/0/resources', { requests: { cpu: '1' } }),
        ),
    });
    await configure(server, 'Mutating', [pods]);
    await server.ask('POST /api/v1/namespaces/a/serviceaccounts', { metadata: { name: 'default' } });
    const { code, body } = await server.ask(`POST ${PODS}`, pod);
    assert.equal(code, 201, JSON.stringify(body));
    assert.deepEqual(body['status'], { phase: 'Pending', qosClass: 'Burstable' });
    const { uid, creationTimestamp = '', generation } = body.metadata;
    assert.deepEqual([uid === 'own', creationTimestamp < '2002', generation], [false, false, 1]);
    caller.answers = { '/h0': () => patched(add('/status/phase', 'Failed'), add('/metadata/generation', 9)) };
    const changed = await server.ask(`PUT ${PODS}/p`, { ...body, metadata: { ...body.metadata, labels: { a: 'b' } } });
    assert.deepEqual([changed.code, changed.body.metadata.labels], [200, { a: 'b' }], JSON.stringify(changed.body));
    assert.deepEqual([changed.body['status'], changed.body.metadata.generation], [body['status'], 1]);
    caller.answers = { '/h0': () => patched(add('/metadata/uid', 'own')) };
    assert.equal((await server.ask(`PUT ${PODS}/p`, changed.body)).code, 422);
  });

  test('what they change in an update is a new generation', async () => {
    const server = await start({ '/h0': () => ({}) });
    const rules = [{ operations: ['*'], apiGroups: ['apps'], apiVersions: ['*'], resources: ['deployments'] }];
    await configure(server, 'Mutating', [{ rules }]);
    const labels = { a: 'b' };
    const path = '/apis/apps/v1/namespaces/a/deployments';
    const template = { metadata: { labels }, spec: pod.spec };
    const { body } = await server.ask(`POST ${path}`, {
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: labels }, template },
    });
    assert.equal(body.metadata.generation, 1, JSON.stringify(body));
    caller.answers = { '/h0': () => patched(add('/spec/replicas', 5)) };
    const changed = await server.ask(`PUT ${path}/d`, { ...body, metadata: { ...body.metadata, labels } });
    assert.deepEqual(
      [(changed.body['spec'] as { replicas: number }).replicas, changed.body.metadata.generation],
      [5, 2],
    );
  });

  test('a pod is of the class that its defaults make of it', async () => {
    const server = await start({});
    await server.ask('POST /api/v1/namespaces/a/serviceaccounts', { metadata: { name: 'default' } });
    const limits = [{ type: 'Container', defaultRequest: { cpu: '10m' } }];
    await server.ask('POST /api/v1/namespaces/a/limitranges', { metadata: { name: 'l' }, spec: { limits } });
    const { body } = await server.ask(`POST ${PODS}`, pod);
    assert.equal((body['status'] as { qosClass?: string }).qosClass, 'Burstable', JSON.stringify(body));
  });

  test('a deletion cannot be changed, and a patch that does not apply is an error of the server', async () => {
    const server = await start({ '/h0': ({ operation }) => (operation === 'CREATE' ? {} : label('x')) });
    await configure(server, 'Mutating', [{}]);
    await server.ask(`POST ${MAPS}`, map('m'));
    const gone = await server.ask(`DELETE ${MAPS}/m`);
    assert.deepEqual(
      [gone.code, gone.body['message']],
      [
        500,
        'Internal error occurred: admission webhook "h0.example.com" attempted to modify the object, which is not supported for this operation',
      ],
    );
    caller.answers = { '/h0': () => patched({ op: 'remove', path: '/nothing/there' }) };
    const { code, body } = await server.ask(`POST ${MAPS}`, map('n'));
    assert.deepEqual(
      [code, body['message']],
      [
        500,
        'Internal error occurred: remove operation does not apply: doc is missing path: "/nothing/there": missing value',
      ],
    );
  });
});

describe('webhooks that look', () => {
  const DENIED = 'admission webhook "h0.example.com" denied the request: no';
  const rows: readonly (readonly [
    name: string,
    answer: object | number,
    hook: object,
    code: number,
    message?: string,
  ])[] = [
    ['allowed', {}, {}, 201],
    ['refused', { allowed: false, status: { code: 403, message: 'no' } }, {}, 403, DENIED],
    [
      'refused, whatever the policy',
      { allowed: false, status: { message: 'no' } },
      { failurePolicy: 'Ignore' },
      400,
      DENIED,
    ],
    [
      'failing',
      500,
      {},
      500,
      'Internal error occurred: failed calling webhook "h0.example.com": failed to call webhook: an error on the server ("went wrong") has prevented the request from succeeding',
    ],
    ['failing and let be', 500, { failurePolicy: 'Ignore' }, 201],
    [
      'nobody there',
      404,
      {},
      500,
      'Internal error occurred: failed calling webhook "h0.example.com": failed to call webhook: the server could not find the requested resource',
    ],
    [
      'a Service that is not there',
      {},
      { clientConfig: { service: { namespace: 'a', name: 'hook', path: '/x' } }, timeoutSeconds: 3 },
      500,
      'Internal error occurred: failed calling webhook "h0.example.com": failed to call webhook: Post "https://hook.a.svc:443/x?timeout=3s": service "hook" not found',
    ],
  ];
  for (const [name, answer, hook, code, message] of rows) {
    test(name, async () => {
      const server = await start({ '/h0': () => answer });
      await configure(server, 'Validating', [hook]);
      const made = await server.ask(`POST ${MAPS}`, map('m'));
      assert.deepEqual([made.code, made.body['message']], [code, message]);
    });
  }

  test('warnings are passed on; dry runs only where they do no harm', async () => {
    const server = await start({ '/h0': () => ({ warnings: ['careful'] }) });
    await configure(server, 'Validating', [{ sideEffects: 'NoneOnDryRun' }]);
    const made = await server.ask(`POST ${MAPS}?dryRun=All`, map('m'));
    assert.deepEqual([made.code, made.warnings], [201, ['careful']]);
    assert.deepEqual(
      caller.asked.map(({ question }) => [question.operation, question.oldObject]),
      [['CREATE', null]],
    );
  });

  test('configurations themselves are asked of nobody, and count at once, also when they go', async () => {
    const server = await start({ '/h0': () => ({ allowed: false }) });
    const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }];
    await configure(server, 'Validating', [{ rules }]);
    assert.equal((await server.ask(`POST ${MAPS}`, map('m'))).code, 400);
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/hooks';
    assert.equal((await server.ask(`DELETE ${path}`)).code, 200);
    assert.equal((await server.ask(`POST ${MAPS}`, map('m'))).code, 201);
  });

  test('another version of the same object', async () => {
    const server = await start({ '/h0': () => ({}) });
    const rules = [{ operations: ['CREATE'], apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['*'] }];
    await configure(server, 'Validating', [{ rules }]);
    const spec = { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } };
    const metric = {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
    };
    const made = await server.ask('POST /apis/autoscaling/v2/namespaces/a/horizontalpodautoscalers', {
      metadata: { name: 's' },
      spec: { ...spec, metrics: [metric] },
    });
    assert.equal(made.code, 201, JSON.stringify(made.body));
    const { object, resource } = caller.asked[0]?.question ?? {};
    assert.equal(resource?.version, 'v1');
    assert.equal(
      (object as unknown as { spec: { targetCPUUtilizationPercentage: number } }).spec.targetCPUUtilizationPercentage,
      60,
    );
  });
});

describe('conditions of webhooks', () => {
  const condition = (expression: string): object => ({ matchConditions: [{ name: 'c', expression }] });

  test('let through what they hold for, and nobody else is asked', async () => {
    const server = await start({ '/h0': () => ({ allowed: false }) });
    await configure(server, 'Validating', [
      condition(
        "object.metadata.name.startsWith('no') && request.operation == 'CREATE' && namespaceObject.metadata.name == 'a'",
      ),
    ]);
    assert.equal((await server.ask(`POST ${MAPS}`, map('yes'))).code, 201);
    assert.equal((await server.ask(`POST ${MAPS}`, map('nope'))).code, 400);
    assert.equal(caller.asked.length, 1);
  });

  test('may ask what somebody may do', async () => {
    const server = await start({ '/h0': () => ({ allowed: false }) });
    const check = "authorizer.group('').resource('configmaps').namespace('a')";
    await configure(server, 'Validating', [
      condition(
        `!${check}.check('create').allowed() || authorizer.serviceAccount('a', 'b').path('/x').check('get').allowed()`,
      ),
    ]);
    assert.equal((await server.ask(`POST ${MAPS}`, map('m'))).code, 201);
  });

  test('that fail refuse the request, or pass the webhook by where its policy says so', async () => {
    const server = await start({ '/h0': () => ({ allowed: false }) });
    await configure(server, 'Validating', [condition("object.data.nope == 'x'")]);
    const { code, body } = await server.ask(`POST ${MAPS}`, map('m'));
    assert.deepEqual(
      [code, body['message']],
      [403, `configmaps "m" is forbidden: expression 'object.data.nope == 'x'' resulted in error: no such key: data`],
    );
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/hooks';
    const { body: stored } = await server.ask(`GET ${path}`);
    const [hook] = stored['webhooks'] as object[];
    await server.ask(`PUT ${path}`, { ...stored, webhooks: [{ ...hook, failurePolicy: 'Ignore' }] });
    assert.equal((await server.ask(`POST ${MAPS}`, map('m'))).code, 201);
  });

  test('that cannot be read are refused with the configuration', async () => {
    const { ask } = await start({});
    const hook = {
      name: 'h.example.com',
      clientConfig: { url: 'https://127.0.0.1:1/' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...condition('object.'),
    };
    const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
    const { code, body } = await ask(`POST ${path}`, { metadata: { name: 'bad' }, webhooks: [hook] });
    assert.equal(code, 422);
    assert.match(
      String(body['message']),
      /webhooks\[0\]\.matchConditions\[0\]\.expression: Invalid value: "object\.": compilation failed: ERROR: <input>:1:8: Syntax error/,
    );
  });
});

describe("figures of webhooks, in upstream's names", () => {
  const lines = async (server: TestServer): Promise<readonly string[]> =>
    String((await server.ask('GET /metrics')).body['text'])
      .split('\n')
      .filter((line) => /^apiserver_admission_(webhook|match).*(_total|_count)\{/.test(line))
      .map((line) => line.replace('apiserver_admission_', ''));

  test('who was asked, who said no, who could not be asked', async () => {
    const server = await start({
      '/h1': () => ({ allowed: false, status: { code: 418 } }),
      '/h2': () => 500,
      '/h3': () => 500,
    });
    await configure(server, 'Mutating', [{ matchConditions: [{ name: 'no', expression: 'false' }] }]);
    await configure(server, 'Validating', [
      { matchConditions: [{ name: 'b', expression: "object.metadata.name == 'b'" }], failurePolicy: 'Ignore' },
      { matchConditions: [{ name: 'c', expression: "object.metadata.name == 'c'" }] },
      { matchConditions: [{ name: 'd', expression: "object.metadata.name == 'd'" }], failurePolicy: 'Ignore' },
      { matchConditions: [{ name: 'e', expression: "object.metadata.name == 'e'" }] },
    ]);
    caller.answers = { ...caller.answers, '/h0': () => ({}) };
    for (const name of ['b', 'c', 'd', 'e']) await server.ask(`POST ${MAPS}`, map(name));
    const hook = (i: number): string => `name="h${i}.example.com",type="validating",operation="CREATE"`;
    const told = await lines(server);
    for (const line of [
      `webhook_request_total{${hook(0)},code="200",rejected="false"} 1`,
      `webhook_request_total{${hook(1)},code="418",rejected="true"} 1`,
      `webhook_request_total{${hook(2)},code="400",rejected="false"} 1`,
      `webhook_request_total{${hook(3)},code="400",rejected="true"} 1`,
      `webhook_rejection_count{${hook(1)},error_type="no_error",rejection_code="418"} 1`,
      `webhook_rejection_count{${hook(3)},error_type="calling_webhook_error",rejection_code="400"} 1`,
      'webhook_fail_open_count{name="h2.example.com",type="validating"} 1',
      `webhook_admission_duration_seconds_count{${hook(1)},rejected="true"} 1`,
      'match_condition_exclusions_total{name="h0.example.com",kind="webhook",type="admit",operation="CREATE"} 4',
      'match_condition_exclusions_total{name="h0.example.com",kind="webhook",type="validating",operation="CREATE"} 3',
    ]) {
      assert.ok(told.includes(line), `${line}\n— in —\n${told.join('\n')}`);
    }
    assert.equal(told.filter((line) => line.startsWith('webhook_rejection_count')).length, 2);
  });
});

test('an object with a number that no double holds passes those who are asked', async () => {
  const server = await start({ '/h0': () => ({}) });
  await configure(server, 'Mutating', [{}]);
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const made = await server.ask('POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions', boatsOf(schema));
  assert.equal(made.code, 201);
  await server.parts.customKinds.settled();
  const boat = '{"apiVersion":"ships.io/v1","kind":"Boat","metadata":{"name":"b"},"size":9007199254740993}';
  const stored = await server.ask('POST /apis/ships.io/v1/namespaces/a/boats', boat);
  assert.equal(stored.code, 201, JSON.stringify(stored.body));
  assert.match(JSON.stringify(stored.body), /"size":9007199254740993\b/);
});
