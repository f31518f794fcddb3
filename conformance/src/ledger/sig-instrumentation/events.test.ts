import assert from 'node:assert/strict';
import { requests } from '../api-operations.ts';
import type { Thing } from '../api-operations.ts';
import { behaviours } from '../world.ts';

const STAMP = '2026-01-02T03:04:05.678901Z';

behaviours('simulated', 'events', (check) => {
  const core = (name: string, namespace: string, label: string): Thing => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace, labels: { 'testevent-constant': label } },
    message: 'This is a test event',
    reason: 'Test',
    type: 'Normal',
    count: 1,
    involvedObject: { namespace },
  });
  const modern = (name: string, namespace: string, label: string): Thing => ({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name, namespace, labels: { 'testevent-constant': label } },
    regarding: { namespace },
    eventTime: STAMP,
    note: 'This is ' + name,
    action: 'Do',
    reason: 'Test',
    type: 'Normal',
    reportingController: 'test-controller',
    reportingInstance: 'test-node',
  });

  check('[sig-instrumentation] Events should manage the lifecycle of an event [Conformance]', async (world) => {
    const api = requests(world, `/api/v1/namespaces/${world.namespace}/events`);
    const label = `e-${world.namespace}`;
    await api.create(core('event-test', world.namespace, label));
    const all = await api.list(`testevent-constant=${label}`, '/api/v1/events');
    assert.deepEqual(
      all.items.map((e) => e.metadata.name),
      ['event-test'],
    );
    await api.strategic('event-test', { message: 'This is a test event - patched' });
    const seen = await api.get('event-test');
    assert.equal(seen['message'], 'This is a test event - patched');
    const series = { count: 100, lastObservedTime: STAMP };
    await api.update({ ...seen, series });
    assert.deepEqual((await api.get('event-test'))['series'], series);
    await api.delete('event-test');
    assert.deepEqual((await api.list(`testevent-constant=${label}`, '/api/v1/events')).items, []);
  });

  check(
    '[sig-instrumentation] Events API should ensure that an event can be fetched, patched, deleted, and listed [Conformance]',
    async (world) => {
      const api = requests(world, `/apis/events.k8s.io/v1/namespaces/${world.namespace}/events`);
      const label = `e-${world.namespace}`;
      await api.create(modern('event-test', world.namespace, label));
      for (const at of [undefined, '/apis/events.k8s.io/v1/events']) {
        assert.deepEqual(
          (await api.list(`testevent-constant=${label}`, at)).items.map((e) => e.metadata.name),
          ['event-test'],
        );
      }
      const selected = await world.http(
        `/apis/events.k8s.io/v1/namespaces/${world.namespace}/events?fieldSelector=reportingController%3Dtest-controller`,
      );
      assert.equal(selected.json<{ items: Thing[] }>().items.length, 1);
      const seen = await api.get('event-test');
      assert.equal(seen['note'], 'This is event-test');
      assert.equal(seen['eventTime'], STAMP);
      // Note, reason and the rest of what was said are immutable in events.k8s.io/v1; a series may come and grow.
      const first = { count: 2, lastObservedTime: STAMP };
      await api.strategic('event-test', { series: first });
      const patched = await api.get('event-test');
      assert.deepEqual(patched['series'], first);
      const series = { count: 100, lastObservedTime: STAMP };
      await api.update({ ...patched, series });
      assert.deepEqual((await api.get('event-test'))['series'], series);
      await api.delete('event-test');
      assert.deepEqual((await api.list(`testevent-constant=${label}`)).items, []);
    },
  );

  const collections: [codename: string, path: (ns: string) => string, event: typeof core][] = [
    [
      '[sig-instrumentation] Events should delete a collection of events [Conformance]',
      (ns) => `/api/v1/namespaces/${ns}/events`,
      core,
    ],
    [
      '[sig-instrumentation] Events API should delete a collection of events [Conformance]',
      (ns) => `/apis/events.k8s.io/v1/namespaces/${ns}/events`,
      modern,
    ],
  ];
  for (const [codename, path, event] of collections) {
    check(codename, async (world) => {
      const api = requests(world, path(world.namespace));
      const names = ['test-event-1', 'test-event-2', 'test-event-3'];
      for (const name of names) await api.create(event(name, world.namespace, 'true'));
      assert.deepEqual(
        (await api.list('testevent-constant=true')).items.map((e) => e.metadata.name),
        names,
      );
      await api.deleteCollection('testevent-constant=true');
      assert.deepEqual((await api.list('testevent-constant=true')).items, []);
    });
  }
});
