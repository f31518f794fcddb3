/** Issuers whose documents or keys are none: nobody is let in, nothing fails, and nobody asks without end. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpConnectError, silentLogger, VirtualClock } from '@binnacle/base';
import type { HttpCall, HttpCaller } from '@binnacle/base';
import { SignJWT } from 'jose';
import { makeIssuerKey } from '../../testing/issuer-key.ts';
import type { TokenAuthenticator } from '../token-authenticator.ts';
import { createJwtTokens } from './jwt-tokens.ts';

const ISSUER = 'https://issuer.example/realm';
const FOUND = JSON.stringify({ issuer: ISSUER, jwks_uri: 'https://issuer.example/keys' });
const PAUSE_MS = 10_000;
const deep = (text: string): string => text.repeat(20_000);

const { key, jwk } = await makeIssuerKey();

interface Words {
  readonly status?: number;
  readonly text: string;
}

type Said = Words | 'cut';

interface Trial {
  readonly clock: VirtualClock;
  readonly tokens: TokenAuthenticator;
  readonly calls: () => number;
  readonly heal: () => void;
}

function start(discovery: Said, keys: Said): Trial {
  const clock = new VirtualClock();
  let calls = 0;
  let isHealed = false;
  const http: Pick<HttpCaller, 'request'> = {
    async request(call: HttpCall) {
      calls++;
      const isKeys = call.url.endsWith('/keys');
      const right: Words = { text: isKeys ? JSON.stringify({ keys: [jwk] }) : FOUND };
      const said = isHealed ? right : isKeys ? keys : discovery;
      const body = (async function* () {
        if (said === 'cut') throw new HttpConnectError(call, { fault: 'cut', why: 'unexpected EOF' });
        yield new TextEncoder().encode(said.text);
      })();
      return { status: said === 'cut' ? 200 : (said.status ?? 200), headers: {}, body };
    },
  };
  const settings = {
    issuer: { url: ISSUER, audiences: ['cluster'] },
    claimMappings: { username: { claim: 'sub', prefix: '' } },
  };
  const tokens = createJwtTokens({ http: http as HttpCaller, clock, log: silentLogger }, settings, 'jwt[0]');
  return { clock, tokens, calls: () => calls, heal: () => void (isHealed = true) };
}

function sign(clock: VirtualClock, head: object): Promise<string> {
  return new SignJWT({ iss: ISSUER, exp: clock.now() / 1000 + 3600, sub: 'jane', aud: 'cluster' })
    .setProtectedHeader({ alg: 'RS256', ...head })
    .sign(key);
}

const RIGHT = { text: FOUND };
const LIES: readonly (readonly [name: string, discovery: Said, keys: () => Said])[] = [
  ['null for a document', { text: 'null' }, () => ({ text: '{}' })],
  ['a list for a document', { text: '[]' }, () => ({ text: '{}' })],
  ['a document that is nested without end', { text: deep('[') + deep(']') }, () => ({ text: '{}' })],
  ['a document without end', { text: `{"issuer":"${'x'.repeat(2 << 20)}"}` }, () => ({ text: '{}' })],
  ['a document that is cut', 'cut', () => ({ text: '{}' })],
  ['a page', { text: '<html>' }, () => ({ text: '{}' })],
  ['the right document and a status', { status: 404, text: FOUND }, () => ({ text: '{}' })],
  [
    'a list for where the keys are',
    { text: `{"issuer":"${ISSUER}","jwks_uri":["https://x/keys"]}` },
    () => ({ text: '{}' }),
  ],
  ['no text for who it is', { text: '{"issuer":{"toString":1},"jwks_uri":"https://x/keys"}' }, () => ({ text: '{}' })],
  ['no keys', RIGHT, () => ({ text: '{"keys":[]}' })],
  ['null for keys', RIGHT, () => ({ text: 'null' })],
  ['null for a key', RIGHT, () => ({ text: '{"keys":[null]}' })],
  ['a text for a key', RIGHT, () => ({ text: '{"keys":["RSA"]}' })],
  ['numbers in a key', RIGHT, () => ({ text: '{"keys":[{"kty":"RSA","kid":"a","alg":"RS256","n":5,"e":[]}]}' })],
  ['a key of nothing', RIGHT, () => ({ text: '{"keys":[{"kty":"RSA","kid":"a","alg":"RS256","n":"","e":""}]}' })],
  ['a key of a million bits', RIGHT, () => ({ text: JSON.stringify({ keys: [{ ...jwk, n: 'x'.repeat(200_000) }] }) })],
  ['a secret for a key', RIGHT, () => ({ text: '{"keys":[{"kty":"oct","kid":"a","alg":"HS256","k":"c2VjcmV0"}]}' })],
  ['its key for another use', RIGHT, () => ({ text: JSON.stringify({ keys: [{ ...jwk, use: 'enc' }] }) })],
  ['keys that are nested without end', RIGHT, () => ({ text: `{"keys":${deep('[')}${deep(']')}}` })],
  ['keys without end', RIGHT, () => ({ text: `{"keys":[${'{},'.repeat(1 << 20)}{}]}` })],
  ['keys that are cut', RIGHT, () => 'cut'],
];

describe('an issuer that has', () => {
  for (const [name, discovery, keys] of LIES) {
    it(`${name} lets nobody in, is not asked all the time, and may get well`, async () => {
      const { clock, tokens, calls, heal } = start(discovery, keys());
      for (const head of [{ kid: 'a' }, {}, { kid: 'b' }]) {
        assert.equal(await tokens.identify(await sign(clock, head), ['api']), undefined);
      }
      assert.ok(calls() <= 2, `${calls()} calls`);
      heal();
      await clock.advance(PAUSE_MS);
      const identity = await tokens.identify(await sign(clock, { kid: 'a' }), ['api']);
      assert.equal(identity?.user.name, 'jane');
    });
  }
});
