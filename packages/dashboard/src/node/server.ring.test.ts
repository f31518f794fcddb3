import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { Scope, silentLogger } from '@binnacle/base';
import { createHttpCaller, realClock, secureRandom } from '@binnacle/base/node';
import type { OpenCall, OpenedStream, RawCall, RawReply, Wire } from '@binnacle/machinery';
import { WebSocket } from 'ws';
import { serveDashboard } from './server.ts';
import type { ServedDashboard } from './server.ts';

const scope = new Scope('test');
const caller = createHttpCaller();
const calls: RawCall[] = [];
/** Streams of the API that were asked for: none of them is ever opened. */
let onOpen: (call: OpenCall) => void = () => undefined;
let folder = '';
let served: ServedDashboard;

/** The API server: says what it was asked. */
const wire: Wire = {
  raw: async (call: RawCall): Promise<RawReply> => {
    calls.push(call);
    const isReview = call.path.endsWith('selfsubjectreviews');
    return {
      status: isReview ? 201 : 200,
      headers: { 'content-type': 'application/json', 'set-cookie': 'a=b' },
      body: (async function* () {
        const status = { userInfo: { username: 'alice' } };
        const said = isReview ? { status } : { path: call.path, headers: call.headers };
        yield new TextEncoder().encode(JSON.stringify(said));
      })(),
    };
  },
  open: (call: OpenCall): Promise<OpenedStream> =>
    new Promise((_resolve, reject) => {
      call.signal?.addEventListener('abort', () => reject(new RangeError('gone')), { once: true });
      onOpen(call);
    }),
  close: () => Promise.resolve(),
} as unknown as Wire;

before(async () => {
  folder = makeTestFolder().path;
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<meta content="__NONCE__">');
  await writeFile(join(folder, 'assets/main-ABCDEF12.js'), '1');
  await writeFile(join(folder, 'secret.pem'), 'not for a page');
  served = await serveDashboard({
    host: '127.0.0.1',
    port: 0,
    files: folder,
    open: (login) =>
      login.kind === 'token' && login.token === 'good'
        ? Promise.resolve(wire)
        : Promise.reject(new RangeError('bad token')),
    clock: realClock,
    random: secureRandom,
    log: silentLogger,
    scope,
  });
});

after(async () => {
  await scope.close();
  await caller.close();
  await rm(folder, { recursive: true });
});

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: unknown;
}

async function ask({ method = 'GET', path, headers = {}, body }: Asked) {
  const url = new URL(path, served.url).href;
  const sent = body === undefined ? {} : { body: new TextEncoder().encode(JSON.stringify(body)) };
  const reply = await caller.request({ method, url: served.url.replace(/\/$/, '') + path, headers, ...sent });
  let text = '';
  for await (const chunk of reply.body) text += new TextDecoder().decode(chunk);
  return { url, status: reply.status, headers: reply.headers, text };
}

async function logIn(): Promise<string> {
  const { text } = await ask({ method: 'POST', path: '/session', body: { token: 'good' } });
  return (JSON.parse(text) as { readonly session: string }).session;
}

test('the page comes with a new nonce each time, files by their names only', async () => {
  const [first, second] = [await ask({ path: '/' }), await ask({ path: '/r/core/v1/pods' })];
  equal(first.status, 200);
  notEqual(first.text, second.text);
  const nonce = /content="([^"]+)"/.exec(first.text)?.[1] ?? '';
  match(String(first.headers['content-security-policy']), new RegExp(`'nonce-${nonce}'`));
  const script = await ask({ path: '/assets/main-ABCDEF12.js' });
  match(String(script.headers['cache-control']), /immutable/);
  for (const path of ['/assets/none.js', '/assets/%2e%2e%2fsecret.pem']) {
    equal((await ask({ path })).status, 404, path);
  }
  for (const [accepted, encoding] of [
    ['gzip', 'gzip'],
    ['identity, gzip;q=0', undefined],
    ['no-gzip', undefined],
  ] as const) {
    const { headers } = await ask({ path: '/assets/main-ABCDEF12.js', headers: { 'accept-encoding': accepted } });
    equal(headers['content-encoding'], encoding, accepted);
  }
  equal((await ask({ path: '/secret.pem' })).text.includes('not for a page'), false);
  equal((await ask({ method: 'POST', path: '/' })).status, 405);
});

test('whose session it is is told, empty for who came by a link', async () => {
  const link = new URL(served.link(() => Promise.resolve(wire)));
  const code = new URLSearchParams(link.hash.slice(1)).get('code');
  const users = await Promise.all(
    [{ token: 'good' }, { code }].map(async (body) => {
      const { text } = await ask({ method: 'POST', path: '/session', body });
      return (JSON.parse(text) as { readonly user?: string }).user;
    }),
  );
  deepEqual(users, ['alice', '']);
});

test('who shows a token that counts gets a session; calls go on as the viewer, without what the page should not send', async () => {
  equal((await ask({ path: '/api/v1/pods' })).status, 401);
  deepEqual(JSON.parse((await ask({ method: 'POST', path: '/session', body: { token: 'no' } })).text), {
    error: 'bad token',
  });
  for (const body of [{}, null, [], { token: '' }, { token: 1 }]) {
    equal((await ask({ method: 'POST', path: '/session', body })).status, 400);
  }
  const session = await logIn();
  const headers = {
    authorization: `Bearer ${session}`,
    cookie: 'a=b',
    'x-remote-user': 'root',
    'impersonate-user': 'root',
  };
  const reply = await ask({ path: '/api/v1/pods?limit=1', headers });
  deepEqual(JSON.parse(reply.text), { path: '/api/v1/pods?limit=1', headers: {} });
  equal(reply.headers['set-cookie'], undefined);
  match(String(reply.headers['content-security-policy']), /sandbox/);
  equal((await ask({ path: '/api/v1/nodes/a/proxy/', headers })).status, 403);
  await ask({ method: 'DELETE', path: '/session', headers });
  equal((await ask({ path: '/api/v1/pods', headers })).status, 401);
});

test('so many log in at once, and whoever goes makes room', { timeout: 20_000 }, async () => {
  const { host, port } = new URL(served.url);
  const begun = Array.from({ length: 16 }, () => {
    const socket = connectTcp(Number(port), '127.0.0.1').on('error', () => undefined);
    const lines = ['POST /session HTTP/1.1', `host: ${host}`, 'content-length: 20', 'expect: 100-continue', '', ''];
    socket.write(lines.join('\r\n'));
    return socket;
  });
  // Each is waited for: the server says that it may go on.
  await Promise.all(begun.map((socket) => new Promise((resolve) => socket.once('data', resolve))));
  const refused = await ask({ method: 'POST', path: '/session', body: { token: 'good' } });
  equal(refused.status, 429);
  equal(refused.headers['retry-after'], '1');
  for (const socket of begun) socket.write(`${JSON.stringify({ token: 'bad' }).padEnd(20)}`);
  await Promise.all(begun.map((socket) => new Promise((resolve) => socket.once('data', resolve))));
  equal((await ask({ method: 'POST', path: '/session', body: { token: 'good' } })).status, 200);
  for (const socket of begun) socket.destroy();
});

test('a page that could not be read is read again for who looks next', async () => {
  const files = join(folder, 'later');
  const own = scope.child('later');
  const options = { host: '127.0.0.1', port: 0, files, clock: realClock, random: secureRandom, log: silentLogger };
  const { url } = await serveDashboard({ ...options, open: () => Promise.resolve(wire), scope: own });
  const look = async (): Promise<number> => (await fetch(url)).status;
  equal(await look(), 502);
  await mkdir(files);
  await writeFile(join(files, 'index.html'), 'there');
  equal(await look(), 200);
  await own.close();
});

test('who leaves before he is answered is nothing to warn of', { timeout: 20_000 }, async () => {
  const own = scope.child('leaving');
  const asked = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const raw = (call: RawCall): Promise<RawReply> =>
    new Promise((_resolve, reject) => {
      call.signal?.addEventListener('abort', () => {
        reject(new RangeError('gone'));
        setImmediate(() => over.resolve());
      });
      asked.resolve();
    });
  const warned: string[] = [];
  const log = { ...silentLogger, warn: (text: string) => void warned.push(text) };
  const options = { host: '127.0.0.1', port: 0, files: folder, clock: realClock, random: secureRandom, log };
  const leftAlone = await serveDashboard({ ...options, open: () => Promise.resolve(wire), scope: own });
  const code = new URL(leftAlone.link(() => Promise.resolve({ ...wire, raw }))).hash.slice('#code='.length);
  const login = await fetch(`${leftAlone.url}session`, { method: 'POST', body: JSON.stringify({ code }) });
  const { session } = (await login.json()) as { readonly session: string };
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${session}` };
  const reading = fetch(`${leftAlone.url}api/v1/pods`, { headers, signal: leaving.signal }).catch(() => 'left');
  await asked.promise;
  leaving.abort();
  equal(await reading, 'left');
  await over.promise;
  deepEqual(warned, []);
  await own.close();
});

test('a link logs in once', async () => {
  const code = new URL(served.link(() => Promise.resolve(wire))).hash.replace('#code=', '');
  const first = await ask({ method: 'POST', path: '/session', body: { code } });
  equal(first.status, 200);
  equal((await ask({ method: 'POST', path: '/session', body: { code } })).status, 401);
});

test('other names of the host and pages of other origins are refused', async () => {
  equal((await ask({ path: '/', headers: { host: 'evil.example' } })).status, 403);
  const headers = { authorization: `Bearer ${await logIn()}`, origin: 'https://127.0.0.1:6443' };
  equal((await ask({ path: '/api/v1/pods', headers })).status, 403);
});

test('a login that is too large is refused', async () => {
  const body = { token: 'x'.repeat(300_000) };
  equal((await ask({ method: 'POST', path: '/session', body })).status, 400);
});

function socketOf(protocols: readonly string[], origin?: string): Promise<WebSocket | number> {
  const url = `${served.url.replace('http', 'ws')}streams`;
  const socket = new WebSocket(url, [...protocols], origin === undefined ? {} : { origin });
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_request, reply) => resolve(reply.statusCode ?? 0));
    socket.once('error', reject);
  });
}

test('streams need a session and a page of this origin', async () => {
  const origin = served.url.replace(/\/$/, '');
  const protocols = ['streams.dashboard.binnacle.dev', `session.dashboard.binnacle.dev.${await logIn()}`];
  equal(await socketOf(protocols), 403);
  equal(await socketOf(protocols, 'http://evil.example'), 403);
  equal(await socketOf(protocols.slice(0, 1), origin), 401);
  const socket = await socketOf(protocols, origin);
  if (typeof socket === 'number') throw new RangeError(`refused: ${socket}`);
  equal(socket.protocol, 'streams.dashboard.binnacle.dev');
  const told = new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data as Buffer))));
  socket.send(JSON.stringify({ id: 1, open: '/version' }));
  deepEqual(JSON.parse(await told), { id: 1, status: 200 });
  socket.close();
});

test('who logs out keeps no stream that was opened before', async () => {
  const session = await logIn();
  const protocols = ['streams.dashboard.binnacle.dev', `session.dashboard.binnacle.dev.${session}`];
  const socket = await socketOf(protocols, served.url.replace(/\/$/, ''));
  if (typeof socket === 'number') throw new RangeError(`refused: ${socket}`);
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await ask({ method: 'DELETE', path: '/session', headers: { authorization: `Bearer ${session}` } });
  await closed;
  equal(await socketOf(protocols, served.url.replace(/\/$/, '')), 401);
});

test('what the dashboard itself refuses is data too', async () => {
  for (const headers of [{ host: 'evil.example' }, { authorization: 'Bearer none' }] as const) {
    match(String((await ask({ path: '/api/v1/pods', headers })).headers['content-security-policy']), /sandbox/);
  }
});

function upgradeText(path: string, session: string): string {
  const { host, origin } = new URL(served.url);
  const lines = [
    `GET ${path} HTTP/1.1`,
    `host: ${host}`,
    `origin: ${origin}`,
    'upgrade: websocket',
    'connection: upgrade',
  ];
  const secret = `sec-websocket-protocol: session.dashboard.binnacle.dev.${session}`;
  return [...lines, secret, '', ''].join('\r\n');
}

test('who breaks off while a shell is opened, or is refused, ends nothing but that', { timeout: 20_000 }, async () => {
  const socket = connectTcp(Number(new URL(served.url).port), '127.0.0.1');
  const session = await logIn();
  const asked = new Promise<OpenCall>((resolve) => {
    onOpen = resolve;
  });
  socket.write(upgradeText('/api/v1/namespaces/a/pods/b/exec?command=sh', session));
  const { signal } = await asked;
  const given = new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
  socket.resetAndDestroy();
  // What was asked for nobody waits for any more.
  await given;
  for (let tries = 0; tries < 20; tries++) {
    const refused = connectTcp(Number(new URL(served.url).port), '127.0.0.1');
    await new Promise((resolve) => refused.once('connect', resolve));
    refused.write(upgradeText('/streams', 'none'));
    await new Promise((resolve) => refused.once('close', resolve).resetAndDestroy());
  }
  equal((await ask({ path: '/' })).status, 200);
});
