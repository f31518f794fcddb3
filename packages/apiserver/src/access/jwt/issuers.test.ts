/** Issuers that are exchanged for others while the server runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import type { HttpCall, HttpCaller } from '@binnacle/base';
import { SignJWT } from 'jose';
import { makeIssuerKey } from '../../testing/issuer-key.ts';
import type { JwtSettings } from '../../ports/authentication-settings.ts';
import { Issuers } from './issuers.ts';

const [ONE, TWO] = ['https://one.example', 'https://two.example'];
const settingsOf = (url: string, audience = 'client'): JwtSettings => ({
  issuer: { url, audiences: [audience] },
  claimMappings: { username: { claim: 'sub', prefix: '' } },
});

const { key, jwk } = await makeIssuerKey();

function start(...first: readonly JwtSettings[]) {
  const clock = new VirtualClock();
  const away = new Set<string>();
  let calls = 0;
  const http: Pick<HttpCaller, 'request'> = {
    async request({ url }: HttpCall) {
      calls++;
      const { origin } = new URL(url);
      const said = url.endsWith('/keys') ? { keys: [jwk] } : { issuer: origin, jwks_uri: `${origin}/keys` };
      const body = (async function* () {
        yield new TextEncoder().encode(JSON.stringify(said));
      })();
      return { status: away.has(origin) ? 503 : 200, headers: {}, body };
    },
  };
  const world = { http: http as HttpCaller, clock, log: silentLogger, audiences: ['api'] };
  const issuers = new Issuers(world, first);
  const nameOf = async (issuer: string, asked: readonly string[] = ['api']): Promise<string | undefined> => {
    const times = { iat: clock.now() / 1000, exp: clock.now() / 1000 + 3600 };
    const claims = { iss: issuer, aud: 'client', sub: `jane of ${issuer}`, ...times };
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'a' }).sign(key);
    return (await issuers.identify(token, asked))?.user.name;
  };
  return { clock, away, issuers, nameOf, calls: () => calls };
}

const { signal: never } = new AbortController();

test('those of the new configuration are believed, those of the old one no longer', async () => {
  const { issuers, nameOf, calls } = start(settingsOf(ONE));
  assert.equal(await nameOf(ONE), `jane of ${ONE}`);
  await issuers.replace([settingsOf(TWO)], never);
  assert.equal(calls(), 4, 'its keys are there already');
  assert.deepEqual([await nameOf(ONE), await nameOf(TWO)], [undefined, `jane of ${TWO}`]);
  await issuers.replace([], never);
  assert.equal(await nameOf(TWO), undefined);
});

test('their tokens are for this server alone, whatever client of the issuer they name', async () => {
  const { nameOf } = start(settingsOf(ONE));
  assert.equal(await nameOf(ONE, ['vault', 'api']), `jane of ${ONE}`);
  assert.equal(await nameOf(ONE, ['client']), undefined);
});

test('what was before goes on until the keys of all of them are known', async () => {
  const { clock, away, issuers, nameOf } = start(settingsOf(ONE));
  away.add(TWO);
  const replacing = issuers.replace([settingsOf(ONE), settingsOf(TWO)], never);
  await clock.advance(20_000);
  assert.deepEqual([await nameOf(ONE), await nameOf(TWO)], [`jane of ${ONE}`, undefined]);
  away.delete(TWO);
  await clock.advance(10_000);
  await replacing;
  assert.deepEqual([await nameOf(ONE), await nameOf(TWO)], [`jane of ${ONE}`, `jane of ${TWO}`]);
});

test('after a minute they are given up, and at once when something else came', async () => {
  const { clock, away, issuers, nameOf } = start(settingsOf(ONE));
  away.add(TWO);
  const failing = assert.rejects(issuers.replace([settingsOf(TWO)], never), /oidc: .*status 503/);
  await clock.advance(60_000);
  await failing;
  const overtaken = new AbortController();
  const replacing = assert.rejects(issuers.replace([settingsOf(TWO)], overtaken.signal), { name: 'AbortError' });
  await clock.advance(1);
  overtaken.abort();
  await replacing;
  assert.equal(await nameOf(ONE), `jane of ${ONE}`);
});
