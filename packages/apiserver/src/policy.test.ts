import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CLUSTER_ROLES, NAMESPACES, NODES, PODS, ROLE_BINDINGS, SERVICES, SERVICE_ACCOUNTS } from '@binnacle/api';
import type { TokenRequest, TokenReview } from '@binnacle/api/authentication/v1';
import type { SubjectAccessReview } from '@binnacle/api/authorization/v1';
import type { Pod, Service } from '@binnacle/api/core/v1';
import { VirtualClock, createSeededRandom, silentLogger } from '@binnacle/base';
import type { ApiCall, KubeObject, UserInfo } from '@binnacle/machinery';
import { createMemoryStore } from '@binnacle/store';
import { nodeUser, serviceAccountUser } from './access/users.ts';
import { createTokenKeys } from './node/token-keys.ts';
import { createPolicy } from './policy.ts';
import type { Policy } from './policy.ts';
import { IP_ADDRESSES } from './kinds/core/services/allocation/cluster-ips.ts';
import { createApiServer } from './server.ts';
import type { ApiServer } from './server.ts';

const ADMIN: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const ALICE: UserInfo = { name: 'alice', groups: ['system:authenticated'] };
const SCHEDULER: UserInfo = { name: 'system:kube-scheduler', groups: ['system:authenticated'] };
const CONTROLLER = serviceAccountUser('kube-system', 'replication-controller');
const AUTHENTICATION = { group: 'authentication.k8s.io', version: 'v1' };
const AUTHORIZATION = { group: 'authorization.k8s.io', version: 'v1' };

const clock = new VirtualClock();
const store = createMemoryStore({ clock });
const tokenKeys = createTokenKeys();
let policy: Policy;
let server: ApiServer;

async function start(): Promise<ApiServer> {
  const started = await createApiServer({
    store,
    clock,
    random: createSeededRandom(1),
    log: silentLogger,
    assertions: true,
    policy: (world) => (policy = createPolicy(world, { tokenKeys, clientCa: 'PEM' })),
  });
  await started.bootstrap({ addresses: ['192.0.2.1', '127.0.0.1'], port: 6443 });
  return started;
}

async function call<T = KubeObject>(user: UserInfo, what: ApiCall): Promise<T> {
  return (await server.clientAs(user).call(what)) as T;
}

function create(
  user: UserInfo,
  resource: ApiCall['resource'],
  body: object,
  more: Partial<ApiCall> = {},
): Promise<KubeObject> {
  const { namespace } = (body as KubeObject).metadata;
  return call(user, { verb: 'create', resource, body, ...(namespace === undefined ? {} : { namespace }), ...more });
}

const pod = (name: string): object => ({
  metadata: { namespace: 'default', name },
  spec: { containers: [{ name: 'c', image: 'busybox' }] },
});

before(async () => {
  server = await start();
  await create(ADMIN, SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
  await create(nodeUser('n1'), NODES, { metadata: { name: 'n1' } });
});
after(async () => {
  await server.close();
  await store.close();
});

describe('bootstrap', () => {
  test('writes once: a second server on the same store changes nothing', async () => {
    const { revision } = await store.status();
    const second = await createApiServer({
      store,
      clock,
      random: createSeededRandom(2),
      log: silentLogger,
      policy: (world) => createPolicy(world, { tokenKeys, clientCa: 'PEM' }),
    });
    await second.bootstrap({ addresses: ['192.0.2.1', '127.0.0.1'], port: 6443 });
    assert.equal((await store.status()).revision, revision);
    await second.close();
  });

  test('the kubernetes Service has the first address and our endpoint', async () => {
    const service = await call<Service>(ADMIN, {
      verb: 'get',
      resource: SERVICES,
      namespace: 'default',
      name: 'kubernetes',
    });
    assert.deepEqual(service.spec.clusterIPs, ['10.96.0.1']);
    const endpoints = { group: '', version: 'v1', resource: 'endpoints' };
    const found = await call<{ subsets: unknown }>(ADMIN, {
      verb: 'get',
      resource: endpoints,
      namespace: 'default',
      name: 'kubernetes',
    });
    assert.deepEqual(found.subsets, [
      { addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] },
    ]);
  });

  test('a new ClusterRole with the label is aggregated', async () => {
    await create(ADMIN, CLUSTER_ROLES, {
      metadata: { name: 'widgets', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
      rules: [{ verbs: ['get'], apiGroups: ['example.com'], resources: ['widgets'] }],
    });
    await clock.advance(10);
    for (const name of ['view', 'edit', 'admin']) {
      const role = await call<{ rules: { apiGroups?: string[] }[] }>(ADMIN, {
        verb: 'get',
        resource: CLUSTER_ROLES,
        name,
      });
      assert.ok(
        (role.rules ?? []).some((rule) => rule.apiGroups?.includes('example.com') === true),
        name,
      );
    }
  });
});

describe('who may do what', () => {
  const rows: readonly (readonly [string, UserInfo, ApiCall, string | undefined])[] = [
    [
      'alice lists pods',
      ALICE,
      { verb: 'list', resource: PODS, namespace: 'default' },
      'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "default"',
    ],
    ['the scheduler lists pods', SCHEDULER, { verb: 'list', resource: PODS }, undefined],
    [
      'a node reads another',
      nodeUser('n2'),
      { verb: 'get', resource: NODES, name: 'n1' },
      `nodes "n1" is forbidden: User "system:node:n2" cannot get resource "nodes" in API group "" at the cluster scope: node 'n2' cannot read 'n1', only its own Node object`,
    ],
    [
      'somebody deletes default',
      ADMIN,
      { verb: 'delete', resource: NAMESPACES, name: 'default' },
      'namespaces "default" is forbidden: this namespace may not be deleted',
    ],
    [
      'a pod in no namespace',
      CONTROLLER,
      {
        verb: 'create',
        resource: PODS,
        namespace: 'nowhere',
        body: { ...pod('a'), metadata: { namespace: 'nowhere', name: 'a' } },
      },
      'namespaces "nowhere" not found',
    ],
  ];
  for (const [name, user, what, refusal] of rows) {
    test(name, async () => {
      if (refusal === undefined) await call(user, what);
      else await assert.rejects(call(user, what), { message: refusal });
    });
  }
});

test('a pod is admitted, bound once, seen by its node and evicted', async () => {
  const made = (await create(CONTROLLER, PODS, pod('life'))) as Pod;
  assert.equal(made.spec.serviceAccountName, 'default');
  assert.equal(made.spec.priority, 0);
  assert.equal(made.spec.tolerations?.length, 2);
  assert.equal(made.spec.volumes?.[0]?.projected?.sources?.length, 3);
  const binding = { metadata: { name: 'life' }, target: { kind: 'Node', name: 'n1' } };
  const bind = {
    verb: 'create',
    resource: PODS,
    namespace: 'default',
    name: 'life',
    subresource: 'binding',
    body: binding,
  } as const;
  await call(SCHEDULER, bind);
  await assert.rejects(call(SCHEDULER, bind), {
    message: 'Operation cannot be fulfilled on pods/binding "life": pod life is already assigned to node "n1"',
  });
  const bound = await call<Pod>(nodeUser('n1'), { verb: 'get', resource: PODS, namespace: 'default', name: 'life' });
  assert.equal(bound.spec.nodeName, 'n1');
  assert.deepEqual(
    bound.status?.conditions?.map(({ type, status }) => [type, status]),
    [['PodScheduled', 'True']],
  );
  const eviction = { metadata: { name: 'life', namespace: 'default' } };
  await call(ADMIN, { ...bind, subresource: 'eviction', body: eviction });
  const dying = await call<Pod>(ADMIN, { verb: 'get', resource: PODS, namespace: 'default', name: 'life' });
  assert.notEqual(dying.metadata.deletionTimestamp, undefined);
  assert.equal(dying.status?.conditions?.at(-1)?.reason, 'EvictionByEvictionAPI');
});

test('an eviction may name the version that was seen', async () => {
  const at = { namespace: 'default', name: 'seen' };
  const made = (await create(ADMIN, PODS, pod('seen'))) as Pod;
  const evict = (resourceVersion: string | undefined): Promise<unknown> => {
    const body = { metadata: at, deleteOptions: { preconditions: { resourceVersion } } };
    return call(ADMIN, { verb: 'create', resource: PODS, ...at, subresource: 'eviction', body });
  };
  await assert.rejects(evict('1'), { code: 'Conflict' });
  const kept = await call<Pod>(ADMIN, { verb: 'get', resource: PODS, ...at });
  assert.equal(kept.metadata.resourceVersion, made.metadata.resourceVersion, 'it is not marked either');
  await evict(kept.metadata.resourceVersion);
  await assert.rejects(call(ADMIN, { verb: 'get', resource: PODS, ...at }), { code: 'NotFound' });
});

test('of fifty evictions at once as many come through as the budget allows', async () => {
  const budgets = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };
  const namespace = 'default';
  const selector = { matchLabels: { app: 'many' } };
  await create(ADMIN, budgets, { metadata: { namespace, name: 'many' }, spec: { maxUnavailable: 7, selector } });
  const names = Array.from({ length: 50 }, (_, i) => `many-${i}`);
  const running = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
  for (const name of names) {
    await create(ADMIN, PODS, { ...pod(name), metadata: { namespace, name, labels: { app: 'many' } } });
    const at = { resource: PODS, namespace, name, subresource: 'status' };
    await call(ADMIN, { verb: 'patch', ...at, patch: 'merge', body: running });
  }
  const status = {
    observedGeneration: 1,
    disruptionsAllowed: 7,
    currentHealthy: 50,
    desiredHealthy: 43,
    expectedPods: 50,
  };
  const budget = { resource: budgets, namespace, name: 'many' };
  await call(ADMIN, { verb: 'patch', ...budget, subresource: 'status', patch: 'merge', body: { status } });
  const outcomes = await Promise.allSettled(
    names.map((name) => {
      const body = { metadata: { namespace, name } };
      return call(ADMIN, { verb: 'create', resource: PODS, namespace, name, subresource: 'eviction', body });
    }),
  );
  const refused = outcomes.filter((one) => one.status === 'rejected');
  assert.equal(refused.length, 43);
  for (const { reason } of refused) {
    const { status: said } = reason as { status: { code: number; details: { causes: unknown } } };
    const message = 'The disruption budget many does not allow evicting pods currently';
    assert.deepEqual([said.code, said.details.causes], [429, [{ reason: 'DisruptionBudget', message }]]);
  }
  const after = await call<{ status: { disruptionsAllowed: number; disruptedPods: object } }>(ADMIN, {
    verb: 'get',
    ...budget,
  });
  assert.deepEqual([after.status.disruptionsAllowed, Object.keys(after.status.disruptedPods).length], [0, 7]);
});

test('an eviction waits for the disruption budget', async () => {
  const budgets = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };
  const body = {
    metadata: { namespace: 'default', name: 'b' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
  };
  await create(ADMIN, budgets, body);
  const labelled = { ...pod('guarded'), metadata: { namespace: 'default', name: 'guarded', labels: { app: 'x' } } };
  await create(ADMIN, PODS, labelled);
  const at = { namespace: 'default', name: 'guarded' };
  const running = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
  await call(ADMIN, { verb: 'patch', resource: PODS, ...at, subresource: 'status', patch: 'merge', body: running });
  const eviction = { metadata: at };
  const evict: ApiCall = { verb: 'create', resource: PODS, ...at, subresource: 'eviction', body: eviction };
  await assert.rejects(call(ADMIN, evict), {
    code: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
  });
  const allowed = {
    status: { observedGeneration: 1, disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 },
  };
  await call(ADMIN, {
    verb: 'patch',
    resource: budgets,
    namespace: 'default',
    name: 'b',
    subresource: 'status',
    patch: 'merge',
    body: allowed,
  });
  await call(ADMIN, evict);
  const budget = await call<{ status: { disruptionsAllowed: number; disruptedPods: object } }>(ADMIN, {
    verb: 'get',
    resource: budgets,
    namespace: 'default',
    name: 'b',
  });
  assert.equal(budget.status.disruptionsAllowed, 0);
  assert.deepEqual(Object.keys(budget.status.disruptedPods), ['guarded']);
});

test('a token of a ServiceAccount is made, reviewed and used, and ends with the account', async () => {
  const at = { namespace: 'default', name: 'short' };
  await create(ADMIN, SERVICE_ACCOUNTS, { metadata: at });
  const made = await call<TokenRequest>(ADMIN, {
    verb: 'create',
    resource: SERVICE_ACCOUNTS,
    ...at,
    subresource: 'token',
    body: { spec: { audiences: [], expirationSeconds: 600 } },
  });
  const token = made.status?.token ?? '';
  assert.equal(
    made.status?.expirationTimestamp,
    new Date(Math.floor(clock.now() / 1000) * 1000 + 600_000).toISOString().replace('.000', ''),
  );
  const review = {
    verb: 'create',
    resource: { ...AUTHENTICATION, resource: 'tokenreviews' },
    body: { metadata: {}, spec: { token } },
  } as const;
  const good = await call<TokenReview>(ADMIN, review);
  assert.equal(good.status?.authenticated, true);
  assert.equal(good.status.user?.username, 'system:serviceaccount:default:short');
  assert.equal((await policy.authenticate({ bearerToken: token })).name, 'system:serviceaccount:default:short');
  await call(ADMIN, { verb: 'delete', resource: SERVICE_ACCOUNTS, ...at });
  const gone = await call<TokenReview>(ADMIN, review);
  assert.deepEqual(gone.status, { user: {}, error: '[invalid bearer token, serviceaccounts "short" not found]' });
  await assert.rejects(async () => policy.authenticate({ bearerToken: token }), { code: 'Unauthorized' });
});

test('access reviews say what the authorisers say', async () => {
  const ask = (user: UserInfo, resource: string, spec: object): Promise<SubjectAccessReview> =>
    call(user, { verb: 'create', resource: { ...AUTHORIZATION, resource }, body: { metadata: {}, spec } });
  const pods = { verb: 'list', resource: 'pods', namespace: 'default' };
  const own = await ask(SCHEDULER, 'selfsubjectaccessreviews', { resourceAttributes: pods });
  assert.equal(own.status?.allowed, true);
  const other = await ask(ADMIN, 'subjectaccessreviews', { user: 'alice', resourceAttributes: pods });
  assert.deepEqual(other.status, { allowed: false });
  await assert.rejects(
    ask(ADMIN, 'subjectaccessreviews', { resourceAttributes: pods }),
    /at least one of user or group must be specified/,
  );
  const rules = await ask(ALICE, 'selfsubjectrulesreviews', { namespace: 'default' });
  assert.match(JSON.stringify(rules.status), /selfsubjectaccessreviews/);
});

test('nobody grants more than they have', async () => {
  const binding = (name: string, role: string): object => ({
    metadata: { namespace: 'default', name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
  });
  await create(ADMIN, ROLE_BINDINGS, binding('alice', 'admin'));
  await create(ALICE, ROLE_BINDINGS, binding('more', 'view'));
  await assert.rejects(create(ALICE, ROLE_BINDINGS, binding('root', 'cluster-admin')), {
    code: 'Forbidden',
    message: /is attempting to grant RBAC permissions not currently held/,
  });
});

test('addresses of a Service are its own, and free again after it', async () => {
  const body = (name: string): object => ({
    metadata: { namespace: 'default', name },
    spec: { type: 'NodePort', clusterIP: '10.96.0.77', ports: [{ port: 80, nodePort: 30_080 }] },
  });
  await create(ADMIN, SERVICES, body('one'));
  await assert.rejects(create(ADMIN, SERVICES, body('two')), {
    message:
      'Service "two" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.77"]: failed to allocate IP 10.96.0.77: provided IP is already allocated',
  });
  await call(ADMIN, { verb: 'delete', resource: SERVICES, namespace: 'default', name: 'one' });
  await clock.advance(1);
  const two = (await create(ADMIN, SERVICES, body('two'))) as Service;
  assert.equal(two.spec.ports?.[0]?.nodePort, 30_080);
});

test('two servers that start at the same time on an empty store make one cluster, and share its addresses', async () => {
  const shared = createMemoryStore({ clock });
  const both = await Promise.all(
    [3, 4].map((seed) =>
      createApiServer({
        store: shared,
        clock,
        random: createSeededRandom(seed),
        log: silentLogger,
        policy: (world) => createPolicy(world, { tokenKeys }),
      }),
    ),
  );
  await Promise.all(both.map((one, i) => one.bootstrap({ addresses: [`192.0.2.${i + 1}`], port: 6443 })));
  const made = await Promise.all(
    [...Array(10).keys()].map(async (i) =>
      both[i % 2]?.clientAs(ADMIN).call({
        verb: 'create',
        resource: SERVICES,
        namespace: 'default',
        body: { metadata: { name: `s${i}` }, spec: { type: 'NodePort', ports: [{ port: 80 }] } },
      }),
    ),
  );
  const services = made as Service[];
  assert.equal(new Set(services.map((one) => one.spec.clusterIP)).size, 10);
  assert.equal(new Set(services.map((one) => one.spec.ports?.[0]?.nodePort)).size, 10);
  await Promise.all(both.map((one) => one.close()));
  await shared.close();
});

test('a Service changes its type and back, by PUT of what was applied first', async () => {
  const body = (name: string, spec: object): object => ({
    metadata: { namespace: 'default', name },
    spec: { selector: { app: 'x' }, ports: [{ port: 80 }], ...spec },
  });
  const types: readonly object[] = [
    {},
    { type: 'NodePort' },
    { type: 'LoadBalancer', externalTrafficPolicy: 'Local' },
    { type: 'ExternalName', externalName: 'e.example' },
  ];
  for (const [i, from] of types.entries()) {
    for (const [j, to] of types.entries()) {
      const name = `type-${i}-${j}`;
      const made = (await create(ADMIN, SERVICES, body(name, from))) as Service;
      const put = { verb: 'update', resource: SERVICES, namespace: 'default', name } as const;
      const changed = await call<Service>(ADMIN, { ...put, body: body(name, to) });
      const { type } = { type: 'ClusterIP', ...to };
      assert.equal(changed.spec.type, type);
      assert.equal((changed.spec.ports?.[0]?.nodePort ?? 0) > 0, type === 'NodePort' || type === 'LoadBalancer');
      assert.equal((changed.spec.clusterIP ?? '') !== '', type !== 'ExternalName');
      assert.equal((changed.spec.healthCheckNodePort ?? 0) > 0, type === 'LoadBalancer');
      const { resourceVersion, ...metadata } = made.metadata;
      const back = await call<Service>(ADMIN, { ...put, body: { ...made, metadata } });
      assert.equal(back.spec.type, made.spec.type, resourceVersion);
      // By a patch of the type alone, everything else as it is.
      const patch = { ...put, verb: 'patch', body: { spec: to }, patch: 'merge' } as const;
      assert.equal((await call<Service>(ADMIN, patch)).spec.type, 'type' in to ? type : made.spec.type);
    }
  }
});

test('a claim that is deleted under its Service comes back, one of a deleted Service does not', async () => {
  const body = { metadata: { namespace: 'default', name: 'claimed' }, spec: { ports: [{ port: 80 }] } };
  const { spec } = (await create(ADMIN, SERVICES, body)) as Service;
  const claim = { resource: IP_ADDRESSES, name: spec.clusterIP ?? '' };
  await call(ADMIN, { verb: 'delete', ...claim });
  await clock.advance(10);
  const again = await call<{ spec: { parentRef: object } }>(ADMIN, { verb: 'get', ...claim });
  assert.deepEqual(again.spec.parentRef, { resource: 'services', namespace: 'default', name: 'claimed' });
  await call(ADMIN, { verb: 'delete', resource: SERVICES, namespace: 'default', name: 'claimed' });
  await clock.advance(10);
  await assert.rejects(call(ADMIN, { verb: 'get', ...claim }), { code: 'NotFound' });
});
