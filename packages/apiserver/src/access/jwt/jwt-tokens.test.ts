import { silentLogger, VirtualClock } from '@binnacle/base';
import type { HttpCall, HttpCaller } from '@binnacle/base';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import assert from 'node:assert/strict';
import { createHmac, createSign, KeyObject } from 'node:crypto';
import type { webcrypto } from 'node:crypto';
import { before, test } from 'node:test';
import type { UserInfo } from '@binnacle/machinery';
import type { JwtSettings } from '../../ports/authentication-settings.ts';
import { UNOBSERVED } from '../../ports/access-measures.ts';
import { createJwtTokens } from './jwt-tokens.ts';

const ISSUER = 'https://issuer.example/realm';
const CLAIMS = { sub: 'jane', groups: ['devs'], email: 'jane@x', org: 'acme', aud: 'cluster' };

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;
let first: Keys;
let second: Keys;

before(async () => {
  const options = { extractable: true };
  [first, second] = await Promise.all([generateKeyPair('RS256', options), generateKeyPair('RS256', options)]);
});

interface Choice {
  readonly settings?: Partial<JwtSettings>;
  readonly mappings?: Partial<JwtSettings['claimMappings']>;
  readonly discovered?: object;
}

function start({ settings = {}, mappings = {}, discovered = {} }: Choice = {}) {
  const clock = new VirtualClock();
  const calls: string[] = [];
  let served: readonly { readonly kid: string; readonly keys: Keys }[] = [{ kid: 'a', keys: first }];
  let isUp = true;
  const http: Pick<HttpCaller, 'request'> = {
    async request({ url }: HttpCall) {
      calls.push(url);
      const document = url.endsWith('/keys')
        ? {
            keys: await Promise.all(
              served.map(async ({ kid, keys }) => ({ ...(await exportJWK(keys.publicKey)), kid, alg: 'RS256' })),
            ),
          }
        : { issuer: ISSUER, jwks_uri: 'https://issuer.example/keys', ...discovered };
      const bytes = new TextEncoder().encode(JSON.stringify(document));
      return {
        status: isUp ? 200 : 503,
        headers: {},
        body: (async function* () {
          yield bytes;
        })(),
      };
    },
  };
  const all: JwtSettings = {
    issuer: { url: ISSUER, audiences: ['cluster', 'other'] },
    ...settings,
    claimMappings: {
      username: { claim: 'sub', prefix: 'oidc:' },
      groups: { claim: 'groups', prefix: 'g:' },
      ...mappings,
    },
  };
  const ended: string[] = [];
  const accessMeasures = {
    ...UNOBSERVED,
    issuerMeter: (url: string) => ({ ended: (result: string) => void ended.push(`${result} ${url}`) }),
  };
  const world = { http: http as HttpCaller, clock, log: silentLogger, accessMeasures };
  const tokens = createJwtTokens(world, all, 'jwt[0]');
  const identify = async (token: string): Promise<UserInfo | undefined> =>
    (await tokens.identify(token, ['api']))?.user;
  const sign = (claims: object, { kid = 'a', keys = first, seconds = 60 } = {}): Promise<string> =>
    new SignJWT({ iss: ISSUER, exp: clock.now() / 1000 + seconds, ...CLAIMS, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid })
      .sign(keys.privateKey);
  return {
    clock,
    calls,
    ended,
    identify,
    sign,
    serve: (all: typeof served) => void (served = all),
    setUp: (up: boolean) => void (isUp = up),
  };
}

test('a token of the issuer names its user, by the keys that discovery leads to', async () => {
  const { calls, identify, sign } = start();
  assert.deepEqual(await identify(await sign({})), { name: 'oidc:jane', groups: ['g:devs', 'system:authenticated'] });
  await identify(await sign({ sub: 'joe' }));
  assert.deepEqual(calls, [`${ISSUER}/.well-known/openid-configuration`, 'https://issuer.example/keys'], 'read once');
});

const REFUSED: readonly (readonly [name: string, claims: object])[] = [
  ['another audience', { aud: ['x'] }],
  ['no audience', { aud: undefined }],
  ['run out', { exp: 1 }],
  ['without an end', { exp: undefined }],
  ['not yet', { nbf: 4_000_000_000 }],
  ['without a name', { sub: undefined }],
  ['a name that is none', { sub: 7 }],
  ['an empty name', { sub: '' }],
  ['groups that are none', { groups: { a: 1 } }],
  ['groups elsewhere', { groups: undefined, _claim_names: { groups: 'src' } }],
];

for (const [name, claims] of REFUSED) {
  test(`refused: ${name}`, async () => {
    const { identify, sign } = start();
    assert.equal(await identify(await sign(claims)), undefined);
  });
}

const TAKEN: readonly (readonly [name: string, claims: object])[] = [
  ['several audiences', { aud: ['x', 'other'] }],
  ['a clock that is a little ahead', { nbf: Date.UTC(2026, 0, 1) / 1000 + 200 }],
  ['one group as a text', { groups: 'devs' }],
];

for (const [name, claims] of TAKEN) {
  test(`taken: ${name}`, async () => {
    const { identify, sign } = start();
    assert.equal((await identify(await sign(claims)))?.name, 'oidc:jane');
  });
}

test('tokens of others are not looked at, however broken', async () => {
  const { calls, identify, sign } = start();
  const payload = (text: string): string => `e30.${btoa(text).replaceAll('=', '')}.x`;
  for (const token of [
    '',
    'x',
    'a.b',
    'a.b.c.d',
    payload('{"iss":"https://other"}'),
    payload('[]'),
    payload('{'),
    'e30.§.x',
  ]) {
    assert.equal(await identify(token), undefined);
  }
  assert.equal(await identify(await sign({ iss: `${ISSUER}/` })), undefined);
  assert.deepEqual(calls, []);
});

test('who signs with another key, or not at all, is refused', async () => {
  const { identify, sign } = start();
  assert.equal(await identify(await sign({}, { keys: second })), undefined);
  const [, payload = ''] = (await sign({})).split('.');
  assert.equal(await identify(`${btoa('{"alg":"none"}').replaceAll('=', '')}.${payload}.`), undefined);
  assert.equal(await identify(`${btoa('{"alg":"HS256","kid":"a"}').replaceAll('=', '')}.${payload}.AAAA`), undefined);
});

test('a new key is fetched when it is first seen, and strangers cost no calls', async () => {
  const { clock, calls, identify, sign, serve } = start();
  assert.ok((await identify(await sign({}))) !== undefined);
  serve([
    { kid: 'a', keys: first },
    { kid: 'b', keys: second },
  ]);
  await clock.advance(10_000);
  assert.equal((await identify(await sign({}, { kid: 'b', keys: second })))?.name, 'oidc:jane');
  const before = calls.length;
  for (let n = 0; n < 20; n++) assert.equal(await identify(await sign({}, { kid: `x${n}` })), undefined);
  assert.equal(calls.length, before);
  serve([{ kid: 'b', keys: second }]);
  await clock.advance(10_000);
  await identify(await sign({}, { kid: 'unknown' }));
  assert.equal(await identify(await sign({}, { kid: 'a' })), undefined, 'a key that was taken back holds no more');
});

test('an issuer that is away is asked again, after a pause', async () => {
  const { clock, calls, identify, sign, setUp } = start();
  setUp(false);
  for (let n = 0; n < 5; n++) assert.equal(await identify(await sign({})), undefined);
  assert.equal(calls.length, 1);
  setUp(true);
  await clock.advance(10_000);
  assert.ok((await identify(await sign({}))) !== undefined);
});

for (const [name, discovered] of [
  ['of another issuer', { issuer: 'https://evil' }],
  ['with keys in the clear', { jwks_uri: 'http://issuer.example/keys' }],
] as const) {
  test(`a discovery document ${name} is not believed`, async () => {
    const { identify, sign } = start({ discovered });
    assert.equal(await identify(await sign({})), undefined);
  });
}

test('discovery may be elsewhere', async () => {
  const settings = { issuer: { url: ISSUER, discoveryURL: 'https://inside/conf', audiences: ['cluster'] } };
  const { calls, identify, sign } = start({ settings });
  assert.ok((await identify(await sign({}))) !== undefined);
  assert.equal(calls[0], 'https://inside/conf');
});

test('an address counts when it is confirmed', async () => {
  const { identify, sign } = start({ mappings: { username: { claim: 'email', prefix: '' } } });
  assert.equal((await identify(await sign({})))?.name, 'jane@x');
  assert.equal((await identify(await sign({ email_verified: true })))?.name, 'jane@x');
  assert.equal(await identify(await sign({ email_verified: false })), undefined);
});

const EXPRESSIONS: Choice = {
  mappings: {
    username: { expression: "claims.org + ':' + claims.sub" },
    groups: { expression: "claims.groups.map(g, 'x-' + g)" },
    uid: { claim: 'org' },
    extra: [
      { key: 'acme.io/all', valueExpression: 'claims.groups' },
      { key: 'acme.io/none', valueExpression: "claims.?nothing.orValue('')" },
    ],
  },
  settings: {
    claimValidationRules: [
      { claim: 'org', requiredValue: 'acme' },
      { expression: "claims.sub != 'joe'", message: 'not joe' },
    ],
    userValidationRules: [{ expression: "!user.username.startsWith('system:')" }],
  },
};

test('claims are mapped by expressions', async () => {
  const { identify, sign } = start(EXPRESSIONS);
  assert.deepEqual(await identify(await sign({})), {
    name: 'acme:jane',
    groups: ['x-devs', 'system:authenticated'],
    uid: 'acme',
    extra: { 'acme.io/all': ['devs'] },
  });
});

for (const [name, claims] of [
  ['a rule of claims', { sub: 'joe' }],
  ['a claim that is required', { org: 'other' }],
  ['a rule of users', { org: 'system', sub: 'x' }],
  ['an expression that fails', { groups: undefined }],
  ['an expression of another type', { groups: [1] }],
] as const) {
  test(`refused by ${name}`, async () => {
    const rules =
      name === 'a rule of users'
        ? { ...EXPRESSIONS, settings: { userValidationRules: EXPRESSIONS.settings?.userValidationRules ?? [] } }
        : EXPRESSIONS;
    const { identify, sign } = start(rules);
    assert.equal(await identify(await sign(claims)), undefined);
  });
}

const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

const ODD: readonly (readonly [name: string, claims: object])[] = [
  ['a claim that must be a text and has a toString of its own', { org: { toString: 1, valueOf: 1 } }],
  ['a claim that must be a text and is nested without end', { org: deep(3000) }],
  ['claims named as prototypes', { org: 'other', ...(JSON.parse('{"__proto__":{"org":"acme"}}') as object) }],
];

for (const [name, claims] of ODD) {
  test(`refused, and no fault: ${name}`, async () => {
    const { identify, sign } = start({
      settings: { claimValidationRules: [{ claim: 'org', requiredValue: 'acme' }] },
    });
    assert.equal(await identify(await sign(claims)), undefined);
  });
}

test('expressions over claims that are nested without end, or named as prototypes, fail no server', async () => {
  const { identify, sign } = start({
    mappings: {
      username: { expression: "claims.sub + (has(claims.toString) ? '!' : '')" },
      extra: [{ key: 'acme.io/deep', valueExpression: 'string(size(claims.?deep.orValue([])))' }],
    },
  });
  assert.equal((await identify(await sign({ deep: deep(3000) })))?.name, 'jane');
  const named = JSON.parse('{"__proto__":{"sub":"eve"},"constructor":{"sub":"eve"}}') as object;
  assert.equal((await identify(await sign(named)))?.name, 'jane');
});

const b64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a token under the public key as a secret, with a key of its own, or with extensions, is refused', async () => {
  const { identify, sign, calls } = start();
  const pem = await exportSPKI(first.publicKey);
  const [, payload = ''] = (await sign({})).split('.');
  const jwk = await exportJWK(second.publicKey);
  for (const head of [
    { alg: 'HS256', kid: 'a' },
    { alg: 'HS256' },
    { alg: 'RS256', kid: 'a', jwk },
    { alg: 'RS256', jwk },
    { alg: 'RS256', kid: 'a', jku: 'https://evil.example/keys' },
    { alg: 'RS256', kid: 'a', crit: ['exp'], exp: 1 },
    { alg: 'RS256', kid: 'a', crit: ['b64'], b64: false },
    { alg: 'none' },
    { alg: 'NONE', kid: 'a' },
    { alg: 'PS256', kid: 'a' },
    { alg: ['RS256'], kid: 'a' },
    { alg: 'RS256', kid: { toString: 1 } },
  ]) {
    const signed = `${b64(head)}.${payload}`;
    const mac = createHmac('sha256', pem).update(signed).digest('base64url');
    for (const tail of [mac, '', 'AAAA'])
      assert.equal(await identify(`${signed}.${tail}`), undefined, JSON.stringify(head));
  }
  assert.ok(!calls.some((url) => url.includes('evil')));
});

test('keys of one name, and tokens that name none', async () => {
  const { identify, sign, serve } = start();
  serve([
    { kid: 'a', keys: second },
    { kid: 'a', keys: first },
  ]);
  assert.equal((await identify(await sign({})))?.name, 'oidc:jane');
  const [, payload = ''] = (await sign({})).split('.');
  const bare = `${b64({ alg: 'RS256' })}.${payload}`;
  const signature = createSign('RSA-SHA256')
    .update(bare)
    .sign(KeyObject.from(first.privateKey as webcrypto.CryptoKey), 'base64url');
  assert.equal((await identify(`${bare}.${signature}`))?.name, 'oidc:jane');
});

test('tokens of the issuer are counted by whether they are believed; those of others are not', async () => {
  const { ended, identify, sign } = start();
  await identify(await sign({}));
  await identify(await sign({ aud: 'x' }));
  await identify(await sign({ iss: 'https://elsewhere' }));
  assert.deepEqual(ended, [`success ${ISSUER}`, `failure ${ISSUER}`]);
});
