import { createSeededRandom, silentLogger, VirtualClock } from '@binnacle/base';
import type { HttpCall, HttpCaller } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import type { AuthenticationChoice } from '../ports/authentication-settings.ts';
import type { CacheReader } from '../ports/reader.ts';
import { createAuthentication } from './authenticate.ts';
import { createBelievedTokens } from './believed-tokens.ts';
import { AuthenticationConfigError } from './errors.ts';
import { readStaticTokens } from './static-tokens.ts';

function start(
  choice: AuthenticationChoice,
  answer: (review: { spec: { token: string } }) => object = () => ({}),
  head: object = {},
) {
  const clock = new VirtualClock();
  const secrets = new Map<string, KubeObject>();
  const asked: string[] = [];
  const http: Pick<HttpCaller, 'request'> = {
    request(call: HttpCall) {
      const review = JSON.parse(new TextDecoder().decode(call.body as Uint8Array)) as { spec: { token: string } };
      asked.push(review.spec.token);
      const text = new TextEncoder().encode(JSON.stringify({ ...head, status: answer(review) }));
      return Promise.resolve({
        status: 200,
        headers: {},
        body: (async function* () {
          yield text;
        })(),
      });
    },
  };
  const cache = {
    get: (_ref: unknown, _namespace: string, name: string) => secrets.get(name),
    getLive: () => Promise.resolve(undefined),
  } as unknown as CacheReader;
  const parts = { cache, clock, random: createSeededRandom(1), log: silentLogger, http: http as HttpCaller };
  const world = { ...parts, audiences: ['api', 'also'] };
  const accounts = {
    identify: (token: string) =>
      token === 'account' ? { user: { name: 'sa', groups: [] }, audiences: ['api'] } : undefined,
  };
  const { all: tokens } = createBelievedTokens(world, accounts, choice);
  const name = async (token: string): Promise<string | undefined> => (await tokens.identify(token, ['api']))?.user.name;
  return { clock, secrets, asked, tokens, name };
}

test('a file of tokens', async () => {
  const users = readStaticTokens('# a comment\nt1,jane,1,"devs,ops"\n\nt2,"j,oe",,\nt3,a,2,"say ""x"""\n');
  assert.deepEqual(users.get('t1'), { name: 'jane', uid: '1', groups: ['devs', 'ops', 'system:authenticated'] });
  assert.deepEqual(users.get('t2'), { name: 'j,oe', groups: ['system:authenticated'] });
  assert.deepEqual(users.get('t3')?.groups, ['say "x"', 'system:authenticated']);
  const { name } = start({ staticTokens: users });
  assert.deepEqual([await name('t1'), await name('account'), await name('constructor')], ['jane', 'sa', undefined]);
  assert.equal(await start({}).name('t1'), undefined, 'nobody is known by a token where there is no file');
});

for (const [text, says] of [
  ['t,jane', /line 1: expected at least 3 columns/],
  ['ok,a,1\n,jane,1', /line 2: empty token/],
  ['"t,jane,1', /line 1: not comma-separated values/],
] as const) {
  test(`a file that is none: ${JSON.stringify(text)}`, () => {
    assert.throws(
      () => readStaticTokens(text),
      (error) => error instanceof AuthenticationConfigError && says.test(error.message),
    );
  });
}

const GOOD = {
  'token-id': 'abcdef',
  'token-secret': '0123456789abcdef',
  'usage-bootstrap-authentication': 'true',
  'auth-extra-groups': 'system:bootstrappers:nodes',
  expiration: '2026-01-01T01:00:00Z',
};

const BOOTSTRAP: readonly (readonly [
  name: string,
  more: { readonly [field: string]: string },
  type: string | undefined,
  known: boolean,
])[] = [
  ['as it should be', {}, undefined, true],
  ['another secret', { 'token-secret': '0123456789abcdeg' }, undefined, false],
  ['another id', { 'token-id': 'abcdeg' }, undefined, false],
  ['not for this', { 'usage-bootstrap-authentication': 'false' }, undefined, false],
  ['run out', { expiration: '2025-12-31T23:59:59Z' }, undefined, false],
  ['an end that is none', { expiration: 'soon' }, undefined, false],
  ...['2036', '2036-01-01', '2036-01-01 00:00:00', 'Tue, 01 Jan 2036 00:00:00 GMT', '2036-02-30T00:00:00Z'].map(
    (expiration) => [`an end in another form: ${expiration}`, { expiration }, undefined, false] as const,
  ),
  ['an end elsewhere', { expiration: '2026-01-01T03:00:00.5+02:00' }, undefined, true],
  ['without an end', { expiration: '' }, undefined, true],
  ['a group beyond its own', { 'auth-extra-groups': 'system:masters' }, undefined, false],
  ['a Secret of another type', {}, 'Opaque', false],
];

for (const [name, more, type = 'bootstrap.kubernetes.io/token', known] of BOOTSTRAP) {
  test(`a bootstrap token: ${name}`, async () => {
    const { secrets, tokens } = start({ bootstrapTokens: true });
    const data = Object.fromEntries(Object.entries({ ...GOOD, ...more }).map(([field, text]) => [field, btoa(text)]));
    const secret = { metadata: { name: 'bootstrap-token-abcdef' }, type, data };
    secrets.set('bootstrap-token-abcdef', secret);
    const found = await tokens.identify('abcdef.0123456789abcdef', ['api']);
    const groups = [
      'system:bootstrappers',
      ...(name.startsWith('a group') ? [] : ['system:bootstrappers:nodes']),
      'system:authenticated',
    ];
    assert.deepEqual(found?.user, known ? { name: 'system:bootstrap:abcdef', groups } : undefined);
  });
}

const JANE = { authenticated: true, user: { username: 'jane', uid: '1', groups: ['devs'], extra: { a: ['b'] } } };
const WEBHOOK: AuthenticationChoice = { webhook: { endpoint: { url: 'https://hook/' }, version: 'v1' } };

test('a webhook is asked whose a token is, and its answer holds for a while', async () => {
  const { clock, asked, tokens } = start(WEBHOOK, () => JANE);
  const found = await tokens.identify('t', ['api']);
  assert.deepEqual(found, {
    user: { name: 'jane', uid: '1', groups: ['devs', 'system:authenticated'], extra: { a: ['b'] } },
    audiences: ['api'],
  });
  await Promise.all([tokens.identify('t', ['api']), tokens.identify('t', ['api'])]);
  assert.equal(asked.length, 1);
  await clock.advance(120_001);
  await Promise.all([tokens.identify('t', ['api']), tokens.identify('t', ['api'])]);
  assert.equal(asked.length, 2, 'questions about one token are asked once');
});

for (const [name, answer] of [
  ['not authenticated', { ...JANE, authenticated: false }],
  ['truth as a text', { ...JANE, authenticated: 'true' }],
  ['no user', { authenticated: true }],
  ['for others', { ...JANE, audiences: ['other'] }],
  ['nothing', {}],
] as const) {
  test(`a webhook that says ${name}`, async () => {
    const { name: nameOf, asked } = start(WEBHOOK, () => answer);
    assert.deepEqual([await nameOf('t'), await nameOf('t')], [undefined, undefined]);
    assert.equal(asked.length, 2, 'what nobody knows is asked again');
  });
}

test('a webhook that answers with something else knows nobody, whatever that says', async () => {
  for (const head of [{ kind: 'SubjectAccessReview' }, { kind: 'TokenReview', apiVersion: 'example.com/v1' }]) {
    assert.equal(await start(WEBHOOK, () => JANE, head).name('t'), undefined);
  }
  assert.equal(await start(WEBHOOK, () => JANE, { kind: 'TokenReview' }).name('t'), 'jane');
});

test('what is said at length of somebody is believed, and not kept', async () => {
  const groups = Array.from({ length: 3000 }, (_, at) => `group-${at}`);
  const { asked, tokens } = start(WEBHOOK, () => ({ ...JANE, user: { ...JANE.user, groups } }));
  assert.equal((await tokens.identify('t', ['api']))?.user.groups.length, 3001);
  await tokens.identify('t', ['api']);
  assert.equal(asked.length, 2);
});

test('what was said of one token for some audiences is said of no other, however they are written', async () => {
  const { asked, tokens } = start(WEBHOOK, () => JANE);
  await tokens.identify('t', ['a', 'b']);
  for (const [token, audiences] of [
    ['t', ['a\nb']],
    ['b\n\nt', ['a']],
    ['\n\nt', ['a', 'b']],
    ['"]t', ['a","b']],
  ] as const)
    await tokens.identify(token, audiences);
  assert.equal(asked.length, 5);
});

test('who comes without credentials is welcome at some paths only', () => {
  const tokens = { identify: () => undefined };
  const ask = createAuthentication({
    now: () => 0,
    tokens,
    audiences: [],
    anonymous: { enabled: true, paths: ['/livez'] },
  });
  assert.equal((ask({}, '/livez') as { name: string }).name, 'system:anonymous');
  for (const path of ['/livez/ping', '/api', undefined]) assert.throws(() => ask({}, path), { httpCode: 401 });
});

describe('a token that does not say whom it is for is for this server alone', () => {
  const rows: readonly (readonly [name: string, choice: AuthenticationChoice, token: string])[] = [
    ['of a file', { staticTokens: readStaticTokens('t,jane,1\n') }, 't'],
    ['with which nodes join', { bootstrapTokens: true }, 'abcdef.0123456789abcdef'],
    ['of a webhook that names no audiences', WEBHOOK, 't'],
  ];
  for (const [name, choice, token] of rows) {
    test(name, async () => {
      const { secrets, tokens } = start(choice, () => JANE);
      const data = Object.fromEntries(Object.entries(GOOD).map(([field, text]) => [field, btoa(text)]));
      secrets.set('bootstrap-token-abcdef', {
        metadata: { name: 'bootstrap-token-abcdef' },
        type: 'bootstrap.kubernetes.io/token',
        data,
      } as KubeObject);
      assert.deepEqual((await tokens.identify(token, ['vault', 'also']))?.audiences, ['also']);
      assert.equal(await tokens.identify(token, ['vault']), undefined, 'nobody else may take it for theirs');
    });
  }
});

test('who asks hears why a webhook does not know a token, though another asks at the same time', async () => {
  const { tokens, asked } = start(WEBHOOK, () => ({ authenticated: false, error: 'revoked' }));
  const heard: string[] = [];
  await Promise.all([
    tokens.identify('t', ['api']),
    tokens.identify('t', ['api'], (why) => heard.push(why)),
    tokens.identify('t', ['api'], (why) => heard.push(why)),
  ]);
  assert.deepEqual([heard, asked.length], [['revoked', 'revoked'], 1]);
});
