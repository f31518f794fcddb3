import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import type { HttpCall, HttpCaller, HttpReply } from '@binnacle/base';
import { pass } from '../testing/node.ts';
import { MANIFEST_BYTES_MAX, fetchManifest } from './fetch-manifest.ts';
import { createUrlSource } from './url-source.ts';

type Answer =
  | { readonly status?: number; readonly to?: string; readonly body?: string | AsyncIterable<Uint8Array> }
  | Error;

const manifest = (name: string, image = 'x'): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image }] },
});
const one = (name: string, image?: string): string => JSON.stringify(manifest(name, image));
const list = (...items: unknown[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items });

async function* pieces(text: string): AsyncGenerator<Uint8Array, void> {
  yield new TextEncoder().encode(text);
}

/** A server: what it answers where, and what it was asked. */
function server(answers: { [url: string]: Answer }): { http: HttpCaller; asked: HttpCall[]; answers: typeof answers } {
  const asked: HttpCall[] = [];
  const request = async (call: HttpCall): Promise<HttpReply> => {
    asked.push(call);
    const answer = answers[call.url] ?? { status: 404, body: 'no' };
    if (answer instanceof Error) throw answer;
    const { to, body = '', status = to === undefined ? 200 : 302 } = answer;
    return {
      status,
      headers: to === undefined ? {} : { location: to },
      body: typeof body === 'string' ? pieces(body) : body,
    };
  };
  return { http: { request } as HttpCaller, asked, answers };
}

const URL_ = 'https://pods.example/all';

async function start(answer: Answer): Promise<{
  clock: VirtualClock;
  heard: string[];
  say: (answer: Answer) => Promise<string[]>;
  stop: () => void;
  asked: HttpCall[];
}> {
  const clock = new VirtualClock();
  const { http, asked, answers } = server({ [URL_]: answer });
  const heard: string[] = [];
  const headers = { 'X-Node': ['n'] };
  const source = createUrlSource({ url: URL_, headers, periodMs: 20_000, http, clock, log: silentLogger });
  const stop = source.follow('n', {
    upsert: ({ metadata, spec }) =>
      heard.push(
        `+${metadata.name ?? ''} ${spec.containers[0]?.image ?? ''} ${metadata.annotations?.['kubernetes.io/config.source'] ?? ''}`,
      ),
    remove: ({ metadata, spec }) => heard.push(`-${metadata.name ?? ''} ${spec.containers[0]?.image ?? ''}`),
    ready: () => heard.push('ready'),
    refused: (url, reason) => heard.push(`refused ${url} ${reason ?? ''}`),
  });
  await pass(clock, 10);
  const say = async (next: Answer): Promise<string[]> => {
    answers[URL_] = next;
    await pass(clock, 20_000);
    return heard.splice(0);
  };
  return { clock, heard, say, stop, asked };
}

test('one pod, then several, then others; what is gone ends; the same once more says nothing', async () => {
  const { heard, say, stop, asked } = await start({ body: one('a') });
  assert.deepEqual(heard.splice(0), ['+a-n x http', 'ready']);
  assert.deepEqual(asked[0]?.headers, { 'x-node': ['n'] });
  assert.deepEqual(await say({ body: list(manifest('a'), manifest('b'), manifest('b', 'y')) }), ['+b-n x http']);
  assert.deepEqual(await say({ body: list(manifest('a'), manifest('b'), manifest('b', 'y')) }), []);
  assert.deepEqual(await say({ body: list(manifest('a', 'z')) }), ['-a-n x', '-b-n x', '+a-n z http']);
  stop();
  assert.deepEqual(await say({ body: one('c') }), []);
});

test('a server that cannot be asked, or that answers nonsense, ends nothing, and is told of once', async () => {
  const { heard, say, stop } = await start(new Error('connection refused'));
  assert.deepEqual(heard.splice(0), [`refused ${URL_} connection refused`]);
  assert.deepEqual(await say(new Error('connection refused')), []);
  assert.deepEqual(await say({ body: one('a') }), ['+a-n x http', 'ready', `refused ${URL_} `]);
  const bad: readonly [Answer, RegExp][] = [
    [{ status: 503, body: one('b') }, /answered 503/],
    [{ body: '{' }, /no YAML or JSON/],
    [{ body: list(manifest('b'), manifest('no good')) }, /metadata\.name: Invalid value/],
    [{ body: list(manifest('b'), 1) }, /items\[1\]: no object/],
    [{ body: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [manifest('b')] }) }, /this is v1 List/],
    [{ body: list(...Array.from({ length: 1_001 }, (_, i) => manifest(`p${i}`))) }, /more than 1000 pods/],
  ];
  for (const [answer, why] of bad) {
    const [told, ...more] = await say(answer);
    assert.match(told ?? '', why);
    assert.deepEqual(more, []);
  }
  stop();
});

test('an answer of no bytes ends all of them, and is told of', async () => {
  const { heard, say, stop } = await start({ body: '' });
  assert.deepEqual(heard.splice(0), ['ready', `refused ${URL_} ${URL_}: answered nothing`]);
  await say({ body: one('a') });
  assert.deepEqual(await say({ body: '' }), ['-a-n x', `refused ${URL_} ${URL_}: answered nothing`]);
  stop();
});

const SECRET = { Authorization: ['Bearer s'], 'X-Node': ['n'] };
const seen = (asked: readonly HttpCall[]): unknown[] =>
  asked.map(({ url, headers }) => [url, Object.keys(headers ?? {})]);
const both = ['authorization', 'x-node'];

test('it goes where it is sent; what is secret goes to no other host, nor out of TLS', async () => {
  const { http, asked } = server({
    'https://a.example/': { to: '/there' },
    'https://a.example/there': { to: 'https://sub.a.example/' },
    'https://sub.a.example/': { to: 'http://sub.a.example/' },
    'http://sub.a.example/': { to: 'https://other.example/' },
    'https://other.example/': { body: 'done' },
  });
  const clock = new VirtualClock();
  assert.equal(await fetchManifest({ http, clock }, { url: 'https://a.example/', headers: SECRET }), 'done');
  assert.deepEqual(seen(asked), [
    ['https://a.example/', both],
    ['https://a.example/there', both],
    ['https://sub.a.example/', both],
    ['http://sub.a.example/', ['x-node']],
    ['https://other.example/', ['x-node']],
  ]);
});

test('a name and a password in the address are told to its host, and to nobody who reads of it', async () => {
  const { http, asked } = server({ 'https://a.example/': { status: 500 } });
  const call = { url: 'https://me:s%40id@a.example/', headers: {} };
  await assert.rejects(fetchManifest({ http, clock: new VirtualClock() }, call), {
    message: 'https://a.example/: answered 500',
  });
  assert.deepEqual(asked[0]?.headers, { authorization: [`Basic ${btoa('me:s@id')}`] });
});

async function* endless(): AsyncGenerator<Uint8Array, void> {
  for (;;) yield new Uint8Array(1 << 20);
}

const hostile: readonly [string, Answer, RegExp][] = [
  ['round and round', { to: '/' }, /stopped after 10 redirects/],
  ['to a file', { to: 'file:///etc/shadow' }, /moved to file:/],
  ['to nowhere', { to: 'http://' }, /moved to nowhere/],
  ['without an end', { body: endless() }, new RegExp(`more than ${MANIFEST_BYTES_MAX} bytes`)],
];
for (const [name, answer, why] of hostile)
  test(`an answer that leads ${name} is refused`, async () => {
    const { http } = server({ 'https://a.example/': answer });
    await assert.rejects(
      fetchManifest({ http, clock: new VirtualClock() }, { url: 'https://a.example/', headers: {} }),
      why,
    );
  });

test('all of it has ten seconds', async () => {
  const { http, asked } = server({ 'https://a.example/': { to: '/b' }, 'https://a.example/b': { body: '' } });
  const clock = new VirtualClock();
  const slow: HttpCaller = {
    ...http,
    request: async (call) => {
      await clock.advance(4_000);
      return http.request(call);
    },
  };
  await fetchManifest({ http: slow, clock }, { url: 'https://a.example/', headers: {} });
  assert.deepEqual(
    asked.map(({ timeoutMs }) => timeoutMs),
    [10_000, 6_000],
  );
});
