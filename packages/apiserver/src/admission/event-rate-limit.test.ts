import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError } from '@binnacle/machinery';
import { admissionOf, runAdmission } from '../testing/admission.ts';
import { createEventRateLimit } from './event-rate-limit.ts';
import type { EventLimit } from './event-rate-limit.ts';

function limited(
  ...limits: readonly EventLimit[]
): (namespace: string, atMs: number, name?: string) => Promise<string | undefined> {
  let now = 0;
  const plugin = createEventRateLimit({ monotonic: () => now }, limits);
  return (namespace, atMs, name = 'p') => {
    now = atMs;
    const object = { metadata: { namespace, name: 'e' }, involvedObject: { kind: 'Pod', name }, source: {} };
    return runAdmission(plugin, { operation: 'CREATE', resource: 'events', object });
  };
}

test('a burst, then so many a second, each namespace by itself', async () => {
  const send = limited({ type: 'Namespace', qps: 2, burst: 2, cacheSize: 0 });
  const refused = 'Too many requests: limit reached on type Namespace for key a';
  assert.deepEqual(
    [
      await send('a', 0),
      await send('a', 0),
      await send('a', 0),
      await send('b', 0),
      await send('a', 500),
      await send('a', 500),
    ],
    [undefined, undefined, refused, undefined, undefined, refused],
  );
});

test('several limits are told together, and of only so many keys is anything remembered', async () => {
  const send = limited(
    { type: 'Server', qps: 1, burst: 1, cacheSize: 0 },
    { type: 'SourceAndObject', qps: 1, burst: 1, cacheSize: 1 },
  );
  assert.equal(await send('a', 0), undefined);
  assert.equal(
    await send('a', 0),
    'Too many requests: [limit reached on type Server for key , limit reached on type SourceAndObject for key Podp]',
  );
  assert.equal(await send('a', 1_000, 'q'), undefined);
  assert.equal(await send('a', 2_000, 'p'), undefined);
});

test('nobody is told when to come again: clients try again by themselves where they are, and a flood is to be dropped', () => {
  const plugin = createEventRateLimit({ monotonic: () => 0 }, [{ type: 'Server', qps: 1, burst: 1, cacheSize: 0 }]);
  const sent = admissionOf({ operation: 'CREATE', resource: 'events', object: { metadata: { name: 'e' } } });
  assert.equal(plugin.validate?.(sent), undefined);
  assert.throws(
    () => plugin.validate?.(sent),
    (error) => error instanceof StatusError && error.status.code === 429 && error.status.details === undefined,
  );
});
