import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTokenKeys } from '../../node/token-keys.ts';
import { createPolicy } from '../../policy.ts';
import { startTestServer } from '../../testing/test-server.ts';
import type { TestObject, TestServer } from '../../testing/test-server.ts';

const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const NAMESPACE = '/api/v1/namespaces/a';
const MERGE = { 'content-type': 'application/merge-patch+json' };

/** What one caller of a crowd wants; cpu in thousandths. */
type Wish =
  | { readonly kind: 'pod'; readonly name: number; readonly cpu: number; readonly isBestEffort: boolean }
  | { readonly kind: 'service'; readonly name: number; readonly type: string }
  | { readonly kind: 'retype'; readonly name: number; readonly type: string }
  | { readonly kind: 'map'; readonly name: number }
  | { readonly kind: 'delete'; readonly name: number };

const NAMES = fc.nat(6);
const TYPES = fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer');
const CROWDS = fc.array(
  fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('pod' as const), name: NAMES, cpu: fc.nat(800), isBestEffort: fc.boolean() }),
      fc.record({ kind: fc.constant('service' as const), name: NAMES, type: TYPES }),
      fc.record({ kind: fc.constant('retype' as const), name: NAMES, type: TYPES }),
      fc.record({ kind: fc.constant('map' as const), name: NAMES }),
      fc.record({ kind: fc.constant('delete' as const), name: NAMES }),
    ),
    { minLength: 5, maxLength: 25 },
  ),
  { minLength: 1, maxLength: 3 },
);

const QUOTAS: {
  readonly [name: string]: {
    readonly hard: { readonly [resource: string]: string };
    readonly scopes?: readonly string[];
  };
} = {
  all: {
    hard: { pods: '4', configmaps: '3', services: '4', 'services.nodeports': '3', 'services.loadbalancers': '1' },
  },
  cpu: { hard: { 'requests.cpu': '1500m', 'count/pods': '5' }, scopes: ['NotBestEffort'] },
  idle: { hard: { pods: '2' }, scopes: ['BestEffort'] },
};

function asked(server: TestServer, wish: Wish): Promise<unknown> {
  const metadata = { name: `x${wish.name}` };
  switch (wish.kind) {
    case 'pod': {
      const resources = wish.isBestEffort ? {} : { requests: { cpu: `${wish.cpu}m`, memory: '1Mi' } };
      const spec = { containers: [{ name: 'c', image: 'i', resources }] };
      return server.ask(`POST ${NAMESPACE}/pods`, { metadata, spec });
    }
    case 'service': {
      const spec = { type: wish.type, ports: [{ port: 80 }], selector: { a: 'b' } };
      return server.ask(`POST ${NAMESPACE}/services`, { metadata, spec });
    }
    case 'retype':
      return server.ask(`PATCH ${NAMESPACE}/services/x${wish.name}`, { spec: { type: wish.type } }, MERGE);
    case 'map':
      return server.ask(`POST ${NAMESPACE}/configmaps`, { metadata });
    case 'delete':
      return server.ask(`DELETE ${NAMESPACE}/pods/x${wish.name}?gracePeriodSeconds=0`);
    default:
      return Promise.reject(new TypeError('no such wish'));
  }
}

interface Items {
  readonly items: readonly (TestObject & { readonly spec?: PodSpec & ServiceSpec })[];
}
interface PodSpec {
  readonly containers?: readonly { readonly resources?: { readonly requests?: { readonly cpu?: string } } }[];
}
interface ServiceSpec {
  readonly type?: string;
  readonly ports?: readonly { readonly nodePort?: number }[];
}

async function listed({ ask }: TestServer, resource: string): Promise<Items['items']> {
  return ((await ask(`GET ${NAMESPACE}/${resource}`)).body as unknown as Items).items;
}

/** What is really there, counted anew. */
async function counted(
  server: TestServer,
): Promise<{ readonly [quota: string]: { readonly [resource: string]: number } }> {
  const [pods, services, maps] = [
    await listed(server, 'pods'),
    await listed(server, 'services'),
    await listed(server, 'configmaps'),
  ];
  const cpuOf = ({ spec }: Items['items'][number]): string | undefined =>
    spec?.containers?.[0]?.resources?.requests?.cpu;
  const busy = pods.filter((pod) => cpuOf(pod) !== undefined);
  const ports = services.flatMap(({ spec }) => spec?.ports ?? []).filter(({ nodePort = 0 }) => nodePort > 0);
  return {
    all: {
      pods: pods.length,
      configmaps: maps.length,
      services: services.length,
      'services.nodeports': ports.length,
      'services.loadbalancers': services.filter(({ spec }) => spec?.type === 'LoadBalancer').length,
    },
    cpu: {
      'requests.cpu': busy.reduce((sum, pod) => sum + thousandths(cpuOf(pod) ?? '0'), 0),
      'count/pods': busy.length * 1000,
    },
    idle: { pods: (pods.length - busy.length) * 1000 },
  };
}

function thousandths(amount: string): number {
  return amount.endsWith('m') ? Number(amount.slice(0, -1)) : Number(amount) * 1000;
}

async function start(): Promise<TestServer> {
  const server = await startTestServer({
    user: ADMIN,
    policy: (world) => createPolicy(world, { tokenKeys: createTokenKeys() }),
  });
  await server.ask('POST /api/v1/namespaces', { metadata: { name: 'a' } });
  await server.ask(`POST ${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } });
  for (const [name, { hard, scopes }] of Object.entries(QUOTAS)) {
    const made = await server.ask(`POST ${NAMESPACE}/resourcequotas`, {
      metadata: { name },
      spec: { hard, ...(scopes ? { scopes } : {}) },
    });
    assert.equal(made.code, 201, JSON.stringify(made.body));
    const used = Object.fromEntries(Object.keys(hard).map((key) => [key, '0']));
    // As the quota controller leaves it: what the namespace has of its own is not counted here.
    await server.ask(`PUT ${NAMESPACE}/resourcequotas/${name}/status`, { ...made.body, status: { hard, used } });
  }
  return server;
}

test('whatever a crowd asks for at once, no quota is overshot, and what is there was charged', async () => {
  await fc.assert(
    fc.asyncProperty(CROWDS, async (crowds) => {
      const server = await start();
      for (const crowd of crowds) {
        await Promise.all(crowd.map((wish) => asked(server, wish)));
        const real = await counted(server);
        for (const [name, { hard }] of Object.entries(QUOTAS)) {
          const { body } = await server.ask(`GET ${NAMESPACE}/resourcequotas/${name}`);
          const { used } = body['status'] as { readonly used: { readonly [resource: string]: string } };
          for (const [resource, limit] of Object.entries(hard)) {
            const isScaled = name !== 'all';
            const there = (real[name]?.[resource] ?? 0) * (isScaled ? 1 : 1000);
            const charged = thousandths(used[resource] ?? '0');
            assert.ok(charged <= thousandths(limit), `${name}: ${resource} charged ${charged} of ${limit}`);
            assert.ok(there <= charged, `${name}: ${resource} there ${there}, charged ${charged}`);
          }
        }
      }
    }),
    { seed: 36, numRuns: 25 },
  );
});
