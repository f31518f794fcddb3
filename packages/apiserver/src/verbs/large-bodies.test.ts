/** Bodies that are too large for what they ask: refused soon, in an answer of bounded size. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countRests } from '../testing/slow-steps.ts';
import { PODS_PATH, startTestServer } from '../testing/test-server.ts';

const CPU_MS_MAX = 1500;
const REPLY_BYTES_MAX = 512 * 1024;
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const pod = (metadata: object, spec: object = {}): object => ({
  metadata: { name: 'p', ...metadata },
  spec: { containers: [{ name: 'c', image: 'b' }], ...spec },
});

const TOO_MANY = /^Request entity too large: limit is 131072 values$/;
const TOO_LARGE = /etcdserver: request is too large$/;
const containers = (count: number, make: (i: number) => object): object =>
  pod({}, { containers: many(count, (i) => make(i)) });

const ROWS: readonly [name: string, body: object, code: number, message: RegExp][] = [
  ['sixty thousand containers', containers(60_000, (i) => ({ name: `c${i}`, image: 'b' })), 413, TOO_MANY],
  ['forty thousand containers', containers(40_000, (i) => ({ name: `c${i}`, image: 'b' })), 413, TOO_MANY],
  [
    'forty thousand wrong containers',
    containers(40_000, () => ({ name: 'C_', image: '' })),
    422,
    /^Pod "p" is invalid: \[/,
  ],
  ['a million empty containers', containers(1_000_000, () => ({})), 413, TOO_MANY],
  ['finalizers without end', pod({ finalizers: many(700_000, () => 'x') }), 413, TOO_MANY],
  ['finalizers beyond what has room', pod({ finalizers: many(100_000, (i) => `a.io/${i}`) }), 413, TOO_MANY],
  ['very many finalizers', pod({ finalizers: many(130_000, () => 'x') }), 422, /^Pod "p" is invalid: \[/],
  ['lists without end', pod({ x: many(1_500_000, () => 1) }), 413, TOO_MANY],
  [
    'arguments of two megabytes',
    pod({}, { containers: [{ name: 'c', image: 'b', args: many(100_000, () => 'aaaaaaaaaaaaaaaaaaaa') }] }),
    413,
    TOO_LARGE,
  ],
  ['an annotation of three megabytes', pod({ annotations: { a: 'x'.repeat(3_000_000) } }), 422, /Too long/],
];

for (const [name, body, code, message] of ROWS) {
  test(`too large: ${name}`, async () => {
    const { ask, store } = await startTestServer();
    const { revision } = await store.status();
    const text = JSON.stringify(body);
    const before = process.cpuUsage();
    const reply = await ask(`POST ${PODS_PATH}`, text, { 'content-type': 'application/json' });
    const { user, system } = process.cpuUsage(before);
    assert.equal(reply.code, code);
    assert.match(String(reply.body['message']), message);
    assert.ok(JSON.stringify(reply.body).length < REPLY_BYTES_MAX);
    assert.ok((user + system) / 1000 < CPU_MS_MAX, `${(user + system) / 1000} ms`);
    assert.equal((await store.status()).revision, revision);
  });
}

test('between the steps of long work others have their turn', async () => {
  const { ask, clock } = await startTestServer();
  await ask(`POST ${PODS_PATH}`, pod({}));
  const rests = countRests(clock);
  const counted = async (line: string, body: object): Promise<number> => {
    const before = rests.count;
    const { code } = await ask(line, body);
    assert.ok(code === 200 || code === 201);
    return rests.count - before;
  };
  const both = async (): Promise<number[]> => [
    await counted(`POST ${PODS_PATH}?dryRun=All`, pod({ name: 'q' })),
    await counted(`PUT ${PODS_PATH}/p?dryRun=All`, pod({ labels: { a: 'b' } })),
  ];
  const short = await both();
  rests.slow();
  const long = await both();
  assert.deepEqual(
    long.map((count, i) => count - (short[i] ?? 0)),
    [5, 6],
  );
});

test('an apply lets the others have their turn after each walk over the object, also where there is a conflict', async () => {
  const { ask, clock } = await startTestServer();
  const type = { 'content-type': 'application/apply-patch+yaml' };
  const map = (value: string): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'm' },
    data: { a: value },
  });
  const apply = async (manager: string, body: object): Promise<readonly [code: number, rests: number]> => {
    const before = rests.count;
    const line = `PATCH /api/v1/namespaces/default/configmaps/m?fieldManager=${manager}`;
    const { code } = await ask(line, JSON.stringify(body), type);
    return [code, rests.count - before];
  };
  const rests = countRests(clock);
  rests.slow();
  for (const [manager, value, wanted, least] of [
    ['one', 'x', 201, 9],
    ['one', 'y', 200, 9],
    ['two', 'z', 409, 5],
  ] as const) {
    const [code, count] = await apply(manager, map(value));
    assert.equal(code, wanted);
    assert.ok(count >= least, `${count}`);
  }
  const finalizers = many(70_000, (i) => `a.io/${i}`);
  const [code, count] = await apply('one', { ...map('x'), metadata: { name: 'm', finalizers } });
  // Found out before anything else is made of it.
  assert.equal(code, 413);
  assert.ok(count <= 2, `${count}`);
});
