/** This server behind another one: a front proxy says who asks, by certificate and headers, over both HTTPs. */
import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { after, before, test } from 'node:test';
import { issueCertificate, makeAuthority } from '@binnacle/certificates/node';
import type { KeyPair } from '@binnacle/certificates/node';
import { createAuthentication } from '../access/authenticate.ts';
import { ANONYMOUS } from '../access/users.ts';
import { createOpenPolicy } from '../policy-open.ts';
import type { Credentials } from '../ports/authentication.ts';
import { startListeningServer } from './testing/listening-server.ts';
import type { ListeningServer } from './testing/listening-server.ts';

const life = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000 };
const users = makeAuthority('users', life);
const proxies = makeAuthority('proxies', life);
const client = (authority: KeyPair, commonName: string): KeyPair =>
  issueCertificate(authority, { commonName, organizations: ['devs'] }, { ...life, client: true });
const serving = issueCertificate(users, { commonName: 'server', ips: ['127.0.0.1'] }, { ...life, client: false });
const requestHeaders = {
  clientCa: proxies.certificate,
  allowedNames: ['front'],
  usernameHeaders: ['X-Remote-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group'],
  extraHeadersPrefix: ['X-Remote-Extra-'],
};
let asked: object | undefined;
let nowMs = Date.now();
const ends: number[] = [];
let server: ListeningServer;

before(async () => {
  const authenticated = createAuthentication({
    now: () => nowMs,
    tokens: { identify: () => undefined },
    audiences: [],
    anonymous: { enabled: true },
    requestHeaders,
    certificateSeen: (endsMs) => ends.push(endsMs),
  });
  const policy = () => ({
    ...createOpenPolicy(),
    async authenticate(credentials: Credentials) {
      const user = await authenticated(credentials);
      asked = user;
      return user;
    },
  });
  const { certificate: cert, key } = serving;
  const clientCa = users.certificate;
  server = await startListeningServer({ server: { policy }, listener: { cert, key, clientCa, requestHeaders } });
});

after(() => server.close());

interface Asking {
  readonly identity?: KeyPair;
  readonly headers?: { readonly [name: string]: string | string[] };
}
const tlsOf = ({ identity }: Asking) => ({
  ca: users.certificate,
  ...(identity === undefined ? {} : { cert: identity.certificate, key: identity.key }),
});

async function overHttp1(asking: Asking): Promise<number> {
  const call = request({
    ...{ host: '127.0.0.1', port: server.listener.port, agent: false, path: '/version' },
    headers: { ...asking.headers },
    ...tlsOf(asking),
  });
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response.statusCode ?? 0;
}

async function overHttp2(asking: Asking): Promise<number> {
  const session = connect(`https://127.0.0.1:${server.listener.port}`, tlsOf(asking));
  const stream = session.request({ ':path': '/version', ...asking.headers });
  const [headers] = (await once(stream, 'response')) as [{ [name: string]: unknown }];
  stream.resume();
  await once(stream, 'end');
  session.close();
  return Number(headers[':status']);
}

const JANE = {
  'x-remote-user': 'jane',
  'x-remote-group': ['a, b', 'c'],
  'x-remote-uid': '7',
  'x-remote-extra-k%2fl': 'v',
};
const FRONT_USER = client(users, 'front');
const credentialOf = ({ certificate }: KeyPair) => {
  const hex = createHash('sha256').update(new X509Certificate(certificate).raw).digest('hex');
  return { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${hex}`] };
};
const ROWS: readonly [name: string, asking: Asking, code: number, user?: object][] = [
  [
    'a front proxy names the user',
    { identity: client(proxies, 'front'), headers: JANE },
    200,
    { name: 'jane', uid: '7', groups: ['a, b', 'c', 'system:authenticated'], extra: { 'k/l': ['v'] } },
  ],
  ['it names nobody: its certificate is no user', { identity: client(proxies, 'front') }, 401],
  ['a proxy of another name', { identity: client(proxies, 'other'), headers: JANE }, 401],
  [
    "a user's certificate speaks for itself alone",
    { identity: FRONT_USER, headers: JANE },
    200,
    { name: 'front', groups: ['devs', 'system:authenticated'], extra: credentialOf(FRONT_USER) },
  ],
  ['nobody at all, with headers', { headers: JANE }, 200, ANONYMOUS],
];

for (const [http, ask] of [
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
] as const) {
  for (const [name, asking, code, user] of ROWS) {
    test(`${http}: ${name}`, async () => {
      asked = undefined;
      assert.equal(await ask(asking), code);
      assert.deepEqual(asked, user);
    });
  }
}

test('when certificates of users end is seen over both HTTPs; that of a proxy that names somebody is not', async () => {
  ends.length = 0;
  for (const ask of [overHttp1, overHttp2]) {
    await ask({ identity: FRONT_USER });
    await ask({ identity: client(proxies, 'front'), headers: JANE });
    await ask({});
  }
  // Certificates tell whole seconds.
  const end = Math.floor(life.notAfter / 1000) * 1000;
  assert.deepEqual(ends, [end, end]);
});

test('a connection that outlives its certificate is nobody’s, whoever it spoke for', async (t) => {
  t.after(() => {
    nowMs = Date.now();
  });
  for (const asking of [{ identity: FRONT_USER }, { identity: client(proxies, 'front'), headers: JANE }]) {
    nowMs = Date.now();
    const session = connect(`https://127.0.0.1:${server.listener.port}`, tlsOf(asking));
    const ask = async (): Promise<unknown> => {
      const stream = session.request({ ':path': '/version', ...('headers' in asking ? asking.headers : {}) });
      const [headers] = (await once(stream, 'response')) as [{ [name: string]: unknown }];
      stream.resume();
      await once(stream, 'end');
      return headers[':status'];
    };
    assert.equal(await ask(), 200);
    nowMs = life.notAfter + 1;
    assert.equal(await ask(), 401);
    session.close();
  }
});
