import { createSeededRandom, HttpTimeoutError, silentLogger, VirtualClock } from '@binnacle/base';
import type { HttpCall, HttpCaller } from '@binnacle/base';
import assert from 'node:assert/strict';
import test from 'node:test';
import type { RequestAttributes } from '../ports/authorization.ts';
import type { AuthorizationWebhook } from '../ports/authorization-settings.ts';
import { createAuthorizerChain } from './authorizer.ts';
import { createWebhookAuthorizer } from './webhook-authorizer.ts';
import { ACCESS_RETRIES } from './webhook-tokens.ts';
import { TrustFigures } from '../observe/trust-figures.ts';

const GET: RequestAttributes = {
  user: { name: 'jane', uid: '1', groups: ['devs'], extra: { a: ['b'] } },
  verb: 'list',
  isResource: true,
  path: '/apis/apps/v1/namespaces/n/deployments',
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  subresource: '',
  namespace: 'n',
  name: '',
};

const SETTINGS: AuthorizationWebhook = {
  endpoint: { url: 'https://hook/' },
  version: 'v1',
  authorizedTtlMs: 300_000,
  unauthorizedTtlMs: 30_000,
  timeoutMs: 3000,
  failurePolicy: 'NoOpinion',
  matchConditions: [],
};

function start(
  settings: Partial<AuthorizationWebhook> = {},
  answer: () => object = () => ({ allowed: true, reason: 'r' }),
  head: object = {},
) {
  const clock = new VirtualClock();
  const asked: { apiVersion: string; spec: object }[] = [];
  let isUp = true;
  const http: Pick<HttpCaller, 'request'> = {
    request(call: HttpCall) {
      asked.push(JSON.parse(new TextDecoder().decode(call.body as Uint8Array)) as (typeof asked)[number]);
      const text = new TextEncoder().encode(JSON.stringify({ ...head, status: answer() }));
      const body = (async function* () {
        yield text;
      })();
      return Promise.resolve({ status: isUp ? 200 : 403, headers: {}, body });
    },
  };
  const world = { http: http as HttpCaller, clock, random: createSeededRandom(1), log: silentLogger };
  const authorizer = createWebhookAuthorizer(world, { ...SETTINGS, ...settings }, 'x');
  const ask = async (more: Partial<RequestAttributes> = {}): Promise<string> =>
    (await authorizer.authorize({ ...GET, ...more })).decision;
  return { clock, asked, ask, authorizer, setUp: (up: boolean) => void (isUp = up) };
}

test('what is asked', async () => {
  const { asked, ask } = start();
  assert.equal(await ask({ fieldSelector: 'a=b,c!=d', labelSelector: 'x in (1,2),!y,z,w!=3' }), 'allow');
  assert.deepEqual(asked[0]?.spec, {
    resourceAttributes: {
      namespace: 'n',
      verb: 'list',
      group: 'apps',
      version: 'v1',
      resource: 'deployments',
      fieldSelector: {
        requirements: [
          { key: 'a', operator: 'In', values: ['b'] },
          { key: 'c', operator: 'NotIn', values: ['d'] },
        ],
      },
      labelSelector: {
        requirements: [
          { key: 'w', operator: 'NotIn', values: ['3'] },
          { key: 'x', operator: 'In', values: ['1', '2'] },
          { key: 'y', operator: 'DoesNotExist' },
          { key: 'z', operator: 'Exists' },
        ],
      },
    },
    user: 'jane',
    groups: ['devs'],
    extra: { a: ['b'] },
    uid: '1',
  });
  await ask({ isResource: false, path: '/version', verb: 'get' });
  const { nonResourceAttributes } = (asked[1]?.spec ?? {}) as { nonResourceAttributes?: object };
  assert.deepEqual(nonResourceAttributes, { path: '/version', verb: 'get' });
});

test('v1beta1 calls the groups otherwise', async () => {
  const { asked, ask } = start({ version: 'v1beta1' });
  await ask();
  assert.equal(asked[0]?.apiVersion, 'authorization.k8s.io/v1beta1');
  const { group } = (asked[0]?.spec ?? {}) as { group?: string[] };
  assert.deepEqual(group, ['devs']);
});

const ANSWERS: readonly (readonly [answer: object, decision: string])[] = [
  [{ allowed: true }, 'allow'],
  [{ allowed: false }, 'noOpinion'],
  [{ allowed: false, denied: true }, 'deny'],
  [{ allowed: true, denied: true }, 'deny'],
  [{ allowed: 'true' }, 'noOpinion'],
  [{}, 'noOpinion'],
];

for (const [answer, decision] of ANSWERS) {
  test(`${JSON.stringify(answer)} is ${decision}`, async () => {
    assert.equal(await start({}, () => answer).ask(), decision);
  });
}

test('a yes holds longer than a no, and one question is asked once', async () => {
  let allowed = true;
  const { clock, asked, ask } = start({}, () => ({ allowed }));
  await Promise.all([ask(), ask()]);
  allowed = false;
  await ask({ verb: 'delete' });
  await clock.advance(30_001);
  assert.deepEqual([await ask(), await ask({ verb: 'delete' }), asked.length], ['allow', 'noOpinion', 3]);
  await clock.advance(300_000);
  assert.equal(await ask(), 'noOpinion');
});

test('what is not to be kept is asked each time', async () => {
  const { asked, ask } = start({ authorizedTtlMs: 0 });
  await ask();
  await ask();
  assert.equal(asked.length, 2);
});

for (const [failurePolicy, decision] of [
  ['NoOpinion', 'noOpinion'],
  ['Deny', 'deny'],
] as const) {
  test(`failure policy ${failurePolicy}, also for a condition that fails`, async () => {
    const { ask, setUp } = start({ failurePolicy });
    setUp(false);
    assert.equal(await ask(), decision);
    const broken = start({ failurePolicy, matchConditions: ["request.resourceAttributes.name == 'x'.substring(9)"] });
    assert.deepEqual([await broken.ask(), broken.asked.length], [decision, 0]);
  });
}

test('conditions say whether it is asked at all', async () => {
  const { asked, ask } = start({ matchConditions: ["request.user == 'jane'", 'has(request.resourceAttributes)'] });
  assert.deepEqual(
    [await ask({ user: { name: 'joe', groups: [] } }), await ask({ isResource: false }), asked.length],
    ['noOpinion', 'noOpinion', 0],
  );
  assert.equal(await ask(), 'allow');
});

test('a no ends the chain, no opinion does not', async () => {
  const { authorizer } = start({}, () => ({ denied: true }));
  const open = { authorize: () => ({ decision: 'allow', reason: '' }) as const };
  assert.equal((await createAuthorizerChain([authorizer, open]).authorize(GET)).decision, 'deny');
  const silent = start({}, () => ({})).authorizer;
  assert.equal((await createAuthorizerChain([silent, open]).authorize(GET)).decision, 'allow');
});

test('who answers with something else has failed, whatever that says', async () => {
  for (const head of [{ kind: 'TokenReview' }, { kind: 'SubjectAccessReview', apiVersion: 'example.com/v1' }]) {
    assert.equal(await start({}, undefined, head).ask(), 'noOpinion');
    assert.equal(await start({ failurePolicy: 'Deny' }, undefined, head).ask(), 'deny');
  }
  assert.equal(await start({}, undefined, { kind: 'SubjectAccessReview' }).ask(), 'allow');
});

test('an answer of which nobody reads the end is not kept', async () => {
  const { ask, asked } = start({}, () => ({ allowed: true, reason: 'r'.repeat(2000) }));
  assert.deepEqual([await ask(), await ask(), asked.length], ['allow', 'allow', 2]);
});

test('questions are counted by how they ended, each try apart, and what was let go by', async () => {
  const figures = new TrustFigures();
  let answer: () => ReturnType<HttpCaller['request']>;
  const replied = (status: number, body: string) => () =>
    Promise.resolve({
      status,
      headers: {},
      body: (async function* () {
        yield new TextEncoder().encode(body);
      })(),
    });
  const http = { request: () => answer() } as unknown as HttpCaller;
  const clock = new VirtualClock();
  const world = { http, clock, random: createSeededRandom(1), log: silentLogger, meter: figures.webhookMeter('hook') };
  const uncached = { ...SETTINGS, authorizedTtlMs: 0, unauthorizedTtlMs: 0 };
  const ask = async (failurePolicy: 'NoOpinion' | 'Deny' = 'NoOpinion'): Promise<void> => {
    const asked = Promise.resolve(createWebhookAuthorizer(world, { ...uncached, failurePolicy }, 'x').authorize(GET));
    let isOver = false;
    void asked.finally(() => (isOver = true));
    for (let turn = 0; !isOver && turn < 200; turn++) await clock.advance(1000);
    await asked;
  };
  answer = replied(200, JSON.stringify({ status: { allowed: true } }));
  await ask();
  answer = replied(200, '[]');
  await ask();
  answer = replied(403, '');
  await ask('Deny');
  answer = () => Promise.reject(new HttpTimeoutError({ method: 'POST', url: 'https://hook/' }));
  await ask();
  const out: string[] = [];
  figures.render(out);
  const of = (name: string): string[] =>
    out.filter((line) => line.startsWith(`apiserver_authorization_webhook_${name}{`));
  assert.deepEqual(of('evaluations_total'), [
    'apiserver_authorization_webhook_evaluations_total{name="hook",result="success"} 1',
    'apiserver_authorization_webhook_evaluations_total{name="hook",result="error"} 2',
    `apiserver_authorization_webhook_evaluations_total{name="hook",result="timeout"} ${ACCESS_RETRIES.tries}`,
  ]);
  assert.deepEqual(of('evaluations_fail_open_total'), [
    'apiserver_authorization_webhook_evaluations_fail_open_total{name="hook",result="error"} 1',
    'apiserver_authorization_webhook_evaluations_fail_open_total{name="hook",result="timeout"} 1',
  ]);
  assert.deepEqual(of('duration_seconds_count').length, 3);
});
