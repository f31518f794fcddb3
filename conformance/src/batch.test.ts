/** Several calls that go together: the same on every wire, whatever it spares itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIG_MAPS, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { orAborted } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import { StatusError } from '@binnacle/machinery';
import type { ApiCall, CallOutcome, KubeObject } from '@binnacle/machinery';
import { harnesses } from '@binnacle/testkit';

const NAMESPACE = 'default';
const MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const POD_CALLS = { group: '', version: 'v1', resource: 'pods' };

const creating = (name: string): ApiCall => ({
  verb: 'create',
  resource: MAPS,
  namespace: NAMESPACE,
  body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
});

const binding = (name: string, uid?: string): ApiCall => ({
  verb: 'create',
  resource: POD_CALLS,
  namespace: NAMESPACE,
  name,
  subresource: 'binding',
  body: {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace: NAMESPACE, ...(uid === undefined ? {} : { uid }) },
    target: { kind: 'Node', name: 'nowhere' },
  },
});

/** Each is told once, at its place, before the whole resolves. */
async function together({ wire }: Client, calls: readonly ApiCall[]): Promise<(CallOutcome | undefined)[]> {
  const outcomes: (CallOutcome | undefined)[] = calls.map(() => undefined);
  await wire.batch(calls, (at, outcome) => {
    assert.ok(at in outcomes && outcomes[at] === undefined, `call ${at} is told once`);
    outcomes[at] = outcome;
  });
  return outcomes;
}

const shown = (outcomes: readonly (CallOutcome | undefined)[]): unknown[] =>
  outcomes.map((outcome) => {
    if (outcome?.status === 'fulfilled') {
      const { kind, metadata } = outcome.value as KubeObject;
      return kind === 'Status' ? 'done' : metadata.name;
    }
    const reason: unknown = outcome?.reason;
    return reason instanceof StatusError ? reason.httpCode : (reason as Error | undefined)?.name;
  });

for (const harness of harnesses) {
  test(`calls that go together keep their outcomes apart, on ${harness.name}`, async () => {
    const cluster = await harness.start({ runtime: 'simulated', nodes: 1 });
    try {
      const { client } = cluster;
      assert.deepEqual(await together(client, []), []);
      const reading = { resource: MAPS, namespace: NAMESPACE } as const;
      const mixed = await together(client, [
        creating('a'),
        { verb: 'get', ...reading, name: 'missing' },
        creating('Not A Name'),
        { ...creating('given-up'), signal: AbortSignal.abort() },
        creating('b'),
      ]);
      assert.deepEqual(shown(mixed), ['a', 404, 422, 'AbortedError', 'b']);
      const twice = await together(client, [creating('c'), creating('c')]);
      assert.deepEqual(shown(twice).toSorted(), [409, 'c']);
      const { items } = await client.resource(CONFIG_MAPS, NAMESPACE).list();
      const own = items.map(({ metadata }) => metadata.name).filter((name) => name?.length === 1);
      assert.deepEqual(own, ['a', 'b', 'c']);

      const pods = client.resource(PODS, NAMESPACE);
      const made: Pod[] = [];
      for (let i = 0; i < 40; i++) {
        const spec = { schedulerName: 'nobody', containers: [{ name: 'c', image: 'registry.example/app:1' }] };
        made.push(await pods.create({ metadata: { name: `p-${i}` }, spec }));
      }
      const seen: string[] = [];
      const whole = Promise.withResolvers<void>();
      const handle = pods.watch(
        { resourceVersion: made.at(-1)?.metadata.resourceVersion ?? '' },
        {
          events(batch) {
            seen.push(...batch.map(({ type, object }) => `${type} ${object.metadata.name} ${object.spec.nodeName}`));
            if (seen.length >= made.length) whole.resolve();
          },
          end: (error) => whole.reject(error ?? new Error('the watch ended')),
        },
      );
      const bound = await together(client, [
        ...made.map(({ metadata }) => binding(metadata.name ?? '', metadata.uid)),
        binding('missing'),
        binding('p-0', 'another'),
      ]);
      assert.deepEqual(shown(bound), [...made.map(() => 'done'), 404, 409]);
      await orAborted(whole.promise, AbortSignal.timeout(60_000));
      handle.stop();
      assert.deepEqual(seen.toSorted(), made.map(({ metadata }) => `MODIFIED ${metadata.name} nowhere`).toSorted());
    } finally {
      await cluster.stop();
    }
  });
}
