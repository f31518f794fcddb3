import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PODS, SERVICES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { createSeededRandom, VirtualClock } from '@binnacle/base';
import { readText, status } from '@binnacle/machinery';
import type { WatchEvent } from '@binnacle/machinery';
import { createMemoryApi } from './memory-api.ts';

const setUp = (seed = 1) => {
  const clock = new VirtualClock();
  const api = createMemoryApi({ clock, random: createSeededRandom(seed) });
  return { clock, api, wire: api.connect() };
};
const pod = (name: string): Pod => ({
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'x' }] },
});
const at = { resource: PODS, namespace: 'default' };

test('it is the whole server: it fills in, refuses and gives addresses', async () => {
  const { api, wire } = setUp();
  const made = (await wire.call({ ...at, verb: 'create', body: pod('a') })) as Pod;
  assert.equal(made.spec.restartPolicy, 'Always');
  assert.deepEqual(
    api.objects(PODS).map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
    [['a', made.metadata.resourceVersion]],
  );
  const invalid = { ...pod('b'), spec: { containers: [] } };
  await assert.rejects(wire.call({ ...at, verb: 'create', body: invalid }), status.isInvalid);
  const service = { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } };
  await wire.call({ resource: SERVICES, namespace: 'default', verb: 'create', body: service });
  assert.match(api.objects(SERVICES)[0]?.spec?.clusterIP ?? '', /^10\.96\./);
});

test('what is put into its store behind its back is served and watched as it is', async () => {
  const { clock, api, wire } = setUp();
  const seen: WatchEvent[] = [];
  wire.watch(at, { events: (batch) => void seen.push(...batch), end: () => undefined });
  await clock.advance(0);
  const going = { ...pod('a'), metadata: { ...pod('a').metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  const seeded = api.seed(PODS, { ...going, status: { phase: 'Failed' } });
  api.setStatus(PODS, seeded, { phase: 'Succeeded' });
  await clock.advance(0);
  assert.deepEqual(
    seen.map(({ type, object }) => [type, (object as Pod).status?.phase, object.metadata.uid === seeded.metadata.uid]),
    [
      ['ADDED', 'Failed', true],
      ['MODIFIED', 'Succeeded', true],
    ],
  );
  assert.equal(api.revision(), Number(api.objects(PODS)[0]?.metadata.resourceVersion));
  assert.equal(((await wire.call({ ...at, verb: 'get', name: 'a' })) as Pod).status?.phase, 'Succeeded');
});

test('the same seed makes the same objects', async () => {
  const [one, two, other] = await Promise.all(
    [1, 1, 2].map(async (seed) => {
      const { api, wire } = setUp(seed);
      await wire.call({ ...at, verb: 'create', body: { ...pod(''), metadata: { generateName: 'a-' } } });
      return JSON.stringify(api.objects(PODS));
    }),
  );
  assert.equal(one, two);
  assert.notEqual(one, other);
});

test('whatever can be listed and watched says where its initial state ends', async () => {
  const { clock, wire } = setUp();
  const silent: string[] = [];
  const groups = JSON.parse(await readText(wire, '/apis')) as { groups: { versions: { groupVersion: string }[] }[] };
  const paths = groups.groups.flatMap(({ versions }) => versions.map((one) => `/apis/${one.groupVersion}`));
  for (const path of ['/api/v1', ...paths]) {
    const { groupVersion, resources } = JSON.parse(await readText(wire, path)) as Discovered;
    const [version = '', group = ''] = groupVersion.split('/').toReversed();
    for (const { name } of resources.filter(({ verbs }) => verbs.includes('watch') && verbs.includes('list'))) {
      const marks: unknown[] = [];
      const query = { sendInitialEvents: 'true', allowWatchBookmarks: 'true', resourceVersionMatch: 'NotOlderThan' };
      const handle = wire.watch(
        { resource: { group, version, resource: name }, query },
        {
          events: (batch) => void marks.push(...batch.map(({ object }) => object.metadata.annotations)),
          end: () => undefined,
        },
      );
      await clock.advance(0);
      handle.stop();
      if (!marks.some((one) => JSON.stringify(one)?.includes('initial-events-end'))) silent.push(`${path} ${name}`);
    }
  }
  assert.deepEqual(silent, []);
});

interface Discovered {
  readonly groupVersion: string;
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}
