import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { PODS, SERVICE_ACCOUNTS } from '@binnacle/api';
import { VirtualClock, createSeededRandom } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import { createTokenKeys } from '../node/token-keys.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { AccountTokens } from './account-tokens.ts';
import { createAuthentication } from './authenticate.ts';
import { createTokenAuthenticator } from './token-authenticator.ts';

const ISSUER = 'https://kubernetes.default.svc.cluster.local';
const keys = createTokenKeys();
let clock: VirtualClock;
let cache: MemoryCache;
let tokens: AccountTokens;

describe('tokens of service accounts', () => {
  beforeEach(() => {
    clock = new VirtualClock();
    cache = new MemoryCache();
    tokens = new AccountTokens({ keys, issuer: ISSUER, clock, random: createSeededRandom(1) });
    cache.put(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'app', uid: 'u1' } });
    cache.put(PODS, { metadata: { namespace: 'default', name: 'p', uid: 'u2' } });
  });

  async function issue(audiences: readonly string[] = [ISSUER]): Promise<string> {
    const bound = {
      namespace: 'default',
      serviceaccount: { name: 'app', uid: 'u1' },
      pod: { name: 'p', uid: 'u2' },
      node: { name: 'n1', uid: 'u3' },
    };
    return (await tokens.issue(bound, audiences, 3600)).token;
  }

  const authentication = (anonymous = { enabled: true }): ReturnType<typeof createAuthentication> => {
    const known = createTokenAuthenticator(tokens, { cache, clock });
    return createAuthentication({ now: () => clock.now(), tokens: known, audiences: [ISSUER], anonymous });
  };

  async function authenticate(bearerToken: string): Promise<unknown> {
    return authentication()({ bearerToken });
  }

  test('a bound token names the account, its groups and its pod', async () => {
    assert.deepEqual(await authenticate(await issue()), {
      name: 'system:serviceaccount:default:app',
      uid: 'u1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      extra: {
        'authentication.kubernetes.io/credential-id': ['JTI=9e272f05-c200-4ae1-a302-ce680df6392e'],
        'authentication.kubernetes.io/pod-name': ['p'],
        'authentication.kubernetes.io/pod-uid': ['u2'],
        'authentication.kubernetes.io/node-name': ['n1'],
        'authentication.kubernetes.io/node-uid': ['u3'],
      },
    });
  });

  test('the payload has the fields that other implementations read', async () => {
    const [, payload = ''] = (await issue()).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    assert.deepEqual(Object.keys(claims), ['aud', 'exp', 'iat', 'iss', 'jti', 'kubernetes.io', 'nbf', 'sub']);
  });

  describe('a token is refused', () => {
    const rows: readonly (readonly [string, () => string | Promise<string>])[] = [
      ['for another audience', () => issue(['vault'])],
      ['when it has run out', async () => clockAfter(await issue(), 3_660_001)],
      [
        'when its account is gone',
        async () => remove(await issue(), () => cache.remove(SERVICE_ACCOUNTS, 'default', 'app')),
      ],
      [
        'when its pod is another one',
        async () =>
          remove(await issue(), () => cache.put(PODS, { metadata: { namespace: 'default', name: 'p', uid: 'new' } })),
      ],
      ['when a byte of it is changed', async () => (await issue()).replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))],
      [
        'when the claims are changed',
        async () => (await issue()).split('.').with(1, btoa('{"sub":"x"}').replaceAll('=', '')).join('.'),
      ],
      [
        'when it is signed by nobody',
        async () => `${btoa('{"alg":"none"}').replaceAll('=', '')}.${(await issue()).split('.')[1]}.`,
      ],
      ['when it is no token at all', () => 'abc'],
    ];
    for (const [name, make] of rows) {
      test(name, async () => {
        await authenticate(await issue());
        await assert.rejects(authenticate(await make()), (error) => error instanceof Error && 'status' in error);
      });
    }
  });

  describe('who asks hears why a token is not good', () => {
    const gone = {
      metadata: { namespace: 'default', name: 'p', uid: 'u2', deletionTimestamp: '2025-12-31T23:00:00Z' },
    };
    const rows: readonly (readonly [doubt: string, make: () => string | Promise<string>])[] = [
      [`token audiences ["vault"] is invalid for the target audiences ["${ISSUER}"]`, () => issue(['vault'])],
      ['service account token has expired', async () => clockAfter(await issue(), 3_660_001)],
      [
        'serviceaccounts "app" not found',
        async () => remove(await issue(), () => cache.remove(SERVICE_ACCOUNTS, 'default', 'app')),
      ],
      [
        'service account UID (u9) does not match claim (u1)',
        async () =>
          remove(await issue(), () =>
            cache.put(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'app', uid: 'u9' } }),
          ),
      ],
      [
        'pod UID (new) does not match service account pod ref claim (u2)',
        async () =>
          remove(await issue(), () => cache.put(PODS, { metadata: { namespace: 'default', name: 'p', uid: 'new' } })),
      ],
      ['service account token has been invalidated', async () => remove(await issue(), () => cache.put(PODS, gone))],
      [
        'go-jose/go-jose: error in cryptographic primitive',
        async () => (await issue()).replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
      ],
    ];
    for (const [doubt, make] of rows) {
      test(doubt, async () => {
        const doubts: string[] = [];
        const known = createTokenAuthenticator(tokens, { cache, clock });
        assert.equal(await known.identify(await make(), [ISSUER], (why) => doubts.push(why)), undefined);
        assert.deepEqual(doubts, [doubt]);
      });
    }
    test('of a stranger’s token nothing is said', async () => {
      const known = createTokenAuthenticator(tokens, { cache, clock });
      assert.equal(await known.identify('abc', [ISSUER], assert.fail), undefined);
    });
  });

  test('without credentials a caller is anonymous, or refused', async () => {
    const open = authentication();
    assert.deepEqual(await open({}), { name: 'system:anonymous', groups: ['system:unauthenticated'] });
    const closed = authentication({ enabled: false });
    assert.throws(() => closed({}), { message: 'Unauthorized' });
    assert.equal(status.isForbidden(status.unauthorized()), false);
  });

  test('a client certificate is a user with its organisations as groups', async () => {
    const ask = authentication();
    const certificate = { commonName: 'alice', organizations: ['dev'], fingerprint: 'c0de' };
    const extra = { 'authentication.kubernetes.io/credential-id': ['X509SHA256=c0de'] };
    const alice = { name: 'alice', groups: ['dev', 'system:authenticated'], extra };
    assert.deepEqual(await ask({ certificate }), alice);
    assert.deepEqual(await ask({ certificate: { ...certificate, uid: 'u-1' } }), { ...alice, uid: 'u-1' });
  });

  test('a certificate of another authority is refused, unless a token says who it is', async () => {
    const ask = authentication();
    assert.throws(() => ask({ foreignCertificate: true }), { message: 'Unauthorized' });
    await assert.rejects(async () => ask({ foreignCertificate: true, bearerToken: 'nonsense' }), {
      message: 'Unauthorized',
    });
  });

  for (const [name, warnafter, advanceMs, audiences, expected] of [
    ['without a word about renewal', undefined, 0, [ISSUER], ['valid']],
    ['before it should be renewed', 60, 59_000, [ISSUER], ['valid']],
    ['after that', 60, 61_000, [ISSUER], ['stale']],
    ['for somebody else', undefined, 0, ['other'], []],
  ] as const)
    test(`a token is counted: ${name}`, async () => {
      const uses: string[] = [];
      const measures = { used: (use: string) => void uses.push(use) };
      const known = createTokenAuthenticator(tokens, { cache, clock, measures });
      const after = warnafter === undefined ? {} : { warnafter: clock.now() / 1000 + warnafter };
      const bound = { namespace: 'default', serviceaccount: { name: 'app', uid: 'u1' }, ...after };
      const { token } = await tokens.issue(bound, audiences, 3600);
      await clock.advance(advanceMs);
      await known.identify(token, [ISSUER]);
      assert.deepEqual(uses, expected);
    });

  async function clockAfter(token: string, ms: number): Promise<string> {
    await clock.advance(ms);
    return token;
  }

  function remove(token: string, change: () => void): string {
    change();
    return token;
  }
});
