import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, VirtualClock } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { ApiCall, Wire } from '@binnacle/machinery';
import { createLoggingWire } from './logging-wire.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

function bench(verbosity: number): { readonly text: () => string; wire: Wire; inner: Wire } {
  const clock = new VirtualClock();
  let text = '';
  const log = createLogger({ component: 'c', verbosity, clock, write: (line) => (text += line) });
  const inner = {
    call: async (call: ApiCall) => {
      if (call.name === 'forbidden') throw status.badRequest('no such thing');
      return { metadata: { name: call.name ?? 'a', resourceVersion: '7' }, status: { token: 's3cret' } };
    },
  } as unknown as Wire;
  return { text: () => text, inner, wire: createLoggingWire(inner, { log, clock }) };
}

test('a quiet log costs nothing: the wire stays what it is', () => {
  const { wire, inner } = bench(1);
  assert.equal(wire, inner);
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
