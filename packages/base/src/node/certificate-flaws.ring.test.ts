/** Servers whose certificates Go's clients do not take, or would not: by real TLS. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { CertificateFlaw, HttpCall, HttpTrust } from '../http.ts';
import { HttpConnectError } from '../http-errors.ts';
import { makeTestCertificate } from '../testing/certificate.ts';
import type { TestCertificate } from '../testing/certificate.ts';
import { createHttpCaller } from './http-caller.ts';

const HOST = '127.0.0.1';
const NAME = 'hook.a.svc';
const authority = makeTestCertificate([], '/CN=the authority');
const signed = (names: readonly string[], digest: { readonly digest?: 'sha1' } = {}): TestCertificate =>
  makeTestCertificate(names, `/CN=${NAME}`, { ...authority, ...digest });
const sha1 = signed([`DNS:${NAME}`], { digest: 'sha1' });

const caller = createHttpCaller();
const servers: Server[] = [];

after(async () => {
  await caller.close();
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
});

async function listen({ cert, key }: TestCertificate, close = false): Promise<number> {
  // A server of today would not show what it has.
  const server = createServer({ cert, key, ciphers: 'DEFAULT:@SECLEVEL=0' }, (_request, response) => {
    if (close) response.setHeader('connection', 'close');
    response.end('ok');
  });
  server.on('tlsClientError', () => undefined);
  servers.push(server);
  server.listen(0, HOST);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

interface Asked {
  readonly flaws: readonly CertificateFlaw[];
  /** Why nobody answered. */
  readonly why?: string;
}

async function ask(port: number, trust: HttpTrust, name = NAME): Promise<Asked> {
  const flaws: CertificateFlaw[] = [];
  const dial = { host: HOST, port };
  const call: HttpCall = { method: 'GET', url: `https://${name}/`, trust, dial, onFlaw: (flaw) => flaws.push(flaw) };
  try {
    const { body } = await caller.request(call);
    for await (const _ of body);
    return { flaws };
  } catch (error) {
    assert.ok(error instanceof HttpConnectError, String(error));
    return { flaws, why: error.why.replace('tls: failed to verify certificate: x509: ', '') };
  }
}

const ca = authority.cert;
const WEAK =
  'certificate signed by unknown authority (possibly because of "x509: cannot verify signature: insecure algorithm ECDSA-SHA1" while trying to verify candidate authority certificate "the authority")';
const LEGACY = 'certificate relies on legacy Common Name field, use SANs instead';

const ROWS: readonly (readonly [what: string, shown: TestCertificate, trust: HttpTrust, told: Asked, name?: string])[] =
  [
    ['one as it should be', signed([`DNS:${NAME}`]), { ca }, { flaws: [] }],
    ['no alternative names', signed([]), { ca }, { flaws: ['missing-san'], why: LEGACY }],
    [
      'no alternative names, and a subject called otherwise',
      signed([]),
      { ca },
      { flaws: [], why: 'certificate is not valid for any names, but wanted to match other.a.svc' },
      'other.a.svc',
    ],
    ['no alternative names, taken', signed([]), { insecure: true }, { flaws: ['missing-san'] }],
    ['SHA-1', sha1, { ca }, { flaws: ['insecure-sha1'], why: WEAK }],
    [
      'SHA-1 of an authority that nobody knows',
      sha1,
      {},
      { flaws: [], why: 'certificate signed by unknown authority' },
    ],
    ['SHA-1, taken', sha1, { insecure: true }, { flaws: ['insecure-sha1'] }],
    [
      'SHA-1 of an authority by itself',
      makeTestCertificate([`DNS:${NAME}`], `/CN=${NAME}`, { digest: 'sha1' }),
      { insecure: true },
      { flaws: [] },
    ],
    ['both, taken', signed([], { digest: 'sha1' }), { insecure: true }, { flaws: ['missing-san', 'insecure-sha1'] }],
  ];

for (const [what, shown, trust, told, name] of ROWS) {
  test(`certificates: ${what}`, async () => assert.deepEqual(await ask(await listen(shown), trust, name), told));
}

for (const closes of [false, true]) {
  test(`each request is told of, ${closes ? 'where a session goes on' : 'on one connection'}`, async () => {
    const port = await listen(sha1, closes);
    for (let at = 0; at < 3; at++)
      assert.deepEqual(await ask(port, { insecure: true }), { flaws: ['insecure-sha1'] }, `request ${at}`);
  });
}
