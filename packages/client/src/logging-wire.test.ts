import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as ensure, createLogger, silentLogger, VirtualClock } from '@binnacle/base';
import type { LogLevel } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { ApiCall, KubeObject, WatchCall, WatchSink, Wire } from '@binnacle/machinery';
import { createLoggingWire } from './logging-wire.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

function bench(verbosity: number): { readonly text: () => string; wire: Wire; inner: Wire; level: LogLevel } {
  const clock = new VirtualClock();
  let text = '';
  const log = createLogger({ component: 'c', verbosity, clock, write: (line) => (text += line) });
  const inner = {
    call: async (call: ApiCall) => {
      if (call.name === 'forbidden') throw status.badRequest('no such thing');
      return { metadata: { name: call.name ?? 'a', resourceVersion: '7' }, status: { token: 's3cret' } };
    },
  } as unknown as Wire;
  ensure(log.level !== undefined, 'it has one');
  return { text: () => text, inner, level: log.level, wire: createLoggingWire(inner, { log, clock }) };
}

test('a log that stays quiet costs nothing: the wire stays what it is', () => {
  const { inner } = bench(1);
  assert.equal(createLoggingWire(inner, { log: silentLogger, clock: new VirtualClock() }), inner);
});

test('calls that go together are told one by one where they are told, and go together where they are not', async () => {
  const { wire, inner, text, level } = bench(1);
  const together: number[] = [];
  Object.assign(inner, { batch: async (calls: readonly ApiCall[]) => void together.push(calls.length) });
  const calls = ['a', 'forbidden', 'b'].map((name) => ({ verb: 'delete', resource: PODS, name }) as const);
  const outcomes: string[] = [];
  const told: Parameters<Wire['batch']>[1] = (at, { status: what }) => void outcomes.push(`${at} ${what}`);
  await wire.batch(calls, told);
  assert.deepEqual([together, outcomes, text()], [[3], [], '']);
  level.verbosity = 4;
  await wire.batch(calls, told);
  assert.deepEqual(outcomes.toSorted(), ['0 fulfilled', '1 rejected', '2 fulfilled']);
  assert.equal(text().match(/"Changed"/g)?.length, 2);
  assert.equal(text().match(/"Refused"/g)?.length, 1);
  assert.deepEqual(together, [3]);
});

test('a level that changes counts from then on, for watches that are open too', async () => {
  const { wire, inner, text, level } = bench(1);
  let sink: WatchSink<KubeObject> | undefined;
  Object.assign(inner, { watch: (_: unknown, given: WatchSink<KubeObject>) => void (sink = given) });
  const seen: unknown[] = [];
  wire.watch({ verb: 'watch', resource: PODS } as unknown as WatchCall, {
    events: (batch) => void seen.push(...batch),
    end: () => undefined,
  });
  const create = { verb: 'create', resource: PODS, namespace: 'default', name: 'a' } as const;
  const event = { type: 'ADDED', object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } } } as const;
  await wire.call(create);
  sink?.events([event]);
  assert.equal(text(), '');
  level.verbosity = 10;
  await wire.call(create);
  sink?.events([event]);
  assert.match(text(), /"Changed"/);
  assert.match(text(), /"Watch event"/);
  assert.equal(seen.length, 2);
});

const ROWS: readonly { readonly call: Partial<ApiCall>; readonly level: number }[] = [
  { call: { verb: 'create' }, level: 2 },
  { call: { verb: 'delete', name: 'a' }, level: 2 },
  { call: { verb: 'update', resource: { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' } }, level: 4 },
  { call: { verb: 'create', resource: { group: '', version: 'v1', resource: 'events' } }, level: 4 },
  { call: { verb: 'get', name: 'a' }, level: 9 },
  { call: { verb: 'create', query: { dryRun: 'All' } }, level: 9 },
  {
    call: {
      verb: 'create',
      resource: { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' },
    },
    level: 9,
  },
];

for (const { call, level } of ROWS) {
  test(`told from ${level}: ${JSON.stringify(call)}`, async () => {
    for (const verbosity of [level - 1, level]) {
      const { wire, text } = bench(verbosity);
      await wire.call({ verb: 'get', resource: PODS, namespace: 'default', ...call });
      assert.equal(text() !== '', verbosity >= level, text());
    }
  });
}

test('a refusal says why', async () => {
  const { wire, text } = bench(4);
  await assert.rejects(wire.call({ verb: 'get', resource: PODS, namespace: 'default', name: 'forbidden' }));
  assert.match(
    text(),
    /"Refused" verb="GET" url="\/api\/v1\/namespaces\/default\/pods\/forbidden" code=400 reason="no such thing"/,
  );
});

test('tokens and secrets are masked', async () => {
  const { wire, text } = bench(10);
  const accounts = { group: '', version: 'v1', resource: 'serviceaccounts' };
  await wire.call({
    verb: 'create',
    resource: accounts,
    namespace: 'default',
    name: 'a',
    subresource: 'token',
    body: {},
  });
  const secrets = { group: '', version: 'v1', resource: 'secrets' };
  await wire.call({ verb: 'create', resource: secrets, namespace: 'default', body: { data: { p: 's3cret' } } });
  const reviews = { group: 'authentication.k8s.io', version: 'v1', resource: 'tokenreviews' };
  await wire.call({ verb: 'create', resource: reviews, body: { spec: { token: 's3cret' } } });
  assert.equal(text().match(/body="<masked>"/g)?.length, 6);
  assert.doesNotMatch(text(), /s3cret/);
});
