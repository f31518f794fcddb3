/** What the endpoint controllers write for services: Endpoints, EndpointSlices, and the mirror of the one in the other. */
import assert from 'node:assert/strict';
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from '@binnacle/api';
import type { Endpoints, Service, ServiceSpec } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { waitFor } from '@binnacle/testkit';
import { requests } from '../api-operations.ts';
import { IMAGE, makeController, ready, runPod, untilOne, untilPods } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const service = (world: World, name: string, spec: Partial<ServiceSpec>): Promise<Service> =>
  world.client.resource(SERVICES, world.namespace).create({ metadata: { name }, spec });

const untilEndpoints = (world: World, name: string, what: string, until?: (e: Endpoints) => boolean) =>
  untilOne(world, ENDPOINTS, { name, what, ...(until === undefined ? {} : { until }) });

function untilSlices(
  world: World,
  name: string,
  what: string,
  until: (slices: readonly EndpointSlice[]) => boolean,
): Promise<readonly EndpointSlice[]> {
  return waitFor({
    client: world.client,
    resource: ENDPOINT_SLICES,
    namespace: world.namespace,
    labelSelector: `kubernetes.io/service-name=${name}`,
    what: `slices of ${name}: ${what}`,
    until,
  });
}

/** `address:port` of all of them, sorted. */
const pairsOf = (subsets: Endpoints['subsets']): string[] =>
  (subsets ?? [])
    .flatMap((s) => (s.addresses ?? []).flatMap((a) => (s.ports ?? []).map((p) => `${a.ip}:${p.port}`)))
    .toSorted();
const pairsOfSlices = (slices: readonly EndpointSlice[]): string[] =>
  slices
    .flatMap((s) =>
      (s.endpoints ?? []).flatMap((e) => e.addresses.flatMap((a) => (s.ports ?? []).map((p) => `${a}:${p.port}`))),
    )
    .toSorted();

const nothing = { 'does-not-match-anything': 'endpoints-should-still-be-created' };
const port = (name: string, targetPort: number | string) => ({
  name,
  port: 80,
  targetPort,
  protocol: 'TCP' as const,
});

/** Two pods with ports of one name and different numbers, and services for the one and for both. */
async function twoPods(world: World): Promise<{ one: string[]; both: string[] }> {
  const container = (ports: { name: string; containerPort: number }[]) => ({
    containers: [{ name: 'c', image: IMAGE, ports: ports.map((p) => ({ ...p, protocol: 'TCP' as const })) }],
  });
  const api = requests(world, `/api/v1/namespaces/${world.namespace}/pods`);
  const first = await runPod(world, 'pod1', container([{ name: 'example-name', containerPort: 3000 }]));
  const second = await runPod(
    world,
    'pod2',
    container([
      { name: 'example-name', containerPort: 3001 },
      { name: 'other-port', containerPort: 3002 },
    ]),
  );
  for (const name of ['pod1', 'pod2']) await api.patch(name, { metadata: { labels: { shared12: 'on' } } });
  const shape = { publishNotReadyAddresses: true };
  await service(world, 'int-port', { ...shape, selector: { app: 'pod1' }, ports: [port('example', 3000)] });
  await service(world, 'named-port', { ...shape, selector: { shared12: 'on' }, ports: [port('http', 'example-name')] });
  const one = [`${first.status?.podIP}:3000`];
  return { one, both: [...one, `${second.status?.podIP}:3001`].toSorted() };
}

behaviours('simulated', 'endpoints of services', (check) => {
  check(
    '[sig-network] EndpointSlice should create and delete EndpointSlices for a Service with a selector that matches no pods [Conformance]',
    async (world) => {
      await service(world, 'empty', { selector: nothing, ports: [port('example', 80)] });
      const [slice] = await untilSlices(world, 'empty', 'one', (all) => all.length > 0);
      assert.equal(
        slice?.metadata.labels?.['endpointslice.kubernetes.io/managed-by'],
        'endpointslice-controller.k8s.io',
      );
      assert.deepEqual(slice?.endpoints ?? [], []);
      await world.client.resource(SERVICES, world.namespace).delete('empty');
      await untilSlices(world, 'empty', 'gone', (all) => all.length === 0);
    },
  );

  check(
    '[sig-network] EndpointsController should create and delete Endpoints for a Service with a selector that matches no pods [Conformance]',
    async (world) => {
      await service(world, 'empty', { selector: nothing, ports: [port('example', 80)] });
      const endpoints = await untilEndpoints(world, 'empty', 'there', () => true);
      assert.deepEqual(endpoints?.subsets ?? [], []);
      await world.client.resource(SERVICES, world.namespace).delete('empty');
      await untilEndpoints(world, 'empty', 'gone');
    },
  );

  check(
    '[sig-network] EndpointSlice should create Endpoints and EndpointSlices for Pods matching a Service [Conformance]',
    async (world) => {
      const { one, both } = await twoPods(world);
      const has = (name: string, pairs: string[]) =>
        untilSlices(world, name, pairs.join(), (all) => pairsOfSlices(all).join() === pairs.join());
      const [slice, ...more] = await has('int-port', one);
      assert.deepEqual(more, []);
      assert.equal(slice?.ports?.[0]?.name, 'example');
      const target = (slice?.endpoints ?? [])[0]?.targetRef;
      assert.deepEqual([target?.kind, target?.namespace, target?.name], ['Pod', world.namespace, 'pod1']);
      assert.equal((slice?.endpoints ?? [])[0]?.conditions?.ready, true);
      // The named port has another number on each pod: a slice for each.
      const slices = await has('named-port', both);
      assert.equal(slices.length, 2);
      assert.deepEqual(
        slices.map((s) => s.ports?.[0]?.name),
        ['http', 'http'],
      );
      const before = new Set(slices.map((s) => s.metadata.uid));
      await requests(world, `/apis/discovery.k8s.io/v1/namespaces/${world.namespace}/endpointslices`).deleteCollection(
        'kubernetes.io/service-name=named-port',
      );
      await untilSlices(
        world,
        'named-port',
        'made anew',
        (all) => all.every((s) => !before.has(s.metadata.uid)) && pairsOfSlices(all).join() === both.join(),
      );
    },
  );

  check(
    '[sig-network] EndpointsController should create Endpoints for Pods matching a Service [Conformance]',
    async (world) => {
      const { one, both } = await twoPods(world);
      const has = (name: string, pairs: string[]) =>
        untilEndpoints(world, name, pairs.join(), (e) => pairsOf(e.subsets).join() === pairs.join());
      const single = await has('int-port', one);
      assert.equal(single?.subsets?.[0]?.ports?.[0]?.name, 'example');
      assert.equal(single?.subsets?.[0]?.addresses?.[0]?.targetRef?.name, 'pod1');
      const shared = await has('named-port', both);
      assert.equal(shared?.subsets?.length, 2, 'a subset for each number of the port');
      const { uid } = shared?.metadata ?? {};
      await world.client.resource(ENDPOINTS, world.namespace).delete('named-port');
      await untilEndpoints(
        world,
        'named-port',
        'made anew',
        (e) => e.metadata.uid !== uid && pairsOf(e.subsets).join() === both.join(),
      );
    },
  );

  check(
    '[sig-network] EndpointSliceMirroring should mirror a custom Endpoints resource through create update and delete [Conformance]',
    async (world) => {
      const name = 'example-custom-endpoints';
      await service(world, name, { ports: [port('example', 80)] });
      const api = requests(world, `/api/v1/namespaces/${world.namespace}/endpoints`);
      const custom = (ip: string) => ({
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: { name },
        subsets: [{ addresses: [{ ip }], ports: [{ port: 80 }] }],
      });
      await api.create(custom('10.1.2.3'));
      const [slice, ...more] = await untilSlices(world, name, 'mirrored', (all) => all.length > 0);
      assert.deepEqual(more, []);
      assert.deepEqual(pairsOfSlices(slice === undefined ? [] : [slice]), ['10.1.2.3:80']);
      assert.equal(
        slice?.metadata.labels?.['endpointslice.kubernetes.io/managed-by'],
        'endpointslicemirroring-controller.k8s.io',
      );
      await api.update(custom('10.2.3.4'));
      await untilSlices(
        world,
        name,
        'the update mirrored',
        (all) => all.length === 1 && pairsOfSlices(all).join() === '10.2.3.4:80',
      );
      await api.delete(name);
      await untilSlices(world, name, 'gone', (all) => all.length === 0);
    },
  );

  check('[sig-network] Service endpoints latency should not be very high [Conformance]', async (world) => {
    await makeController(world, 'svc-latency-rc', 1).rc();
    await untilPods(world, { app: 'svc-latency-rc', what: 'one' }, ready(1));
    const took: number[] = [];
    const measure = async (n: number): Promise<void> => {
      const from = performance.now();
      const name = `latency-svc-${n}`;
      await service(world, name, { selector: { app: 'svc-latency-rc' }, ports: [port('http', 80)] });
      await untilEndpoints(world, name, 'one address', (e) => pairsOf(e.subsets).length === 1);
      took.push(performance.now() - from);
    };
    let next = 0;
    const hand = async (): Promise<void> => {
      while (next < 100) await measure(next++);
    };
    await Promise.all(Array.from({ length: 15 }, hand));
    const sorted = took.toSorted((a, b) => a - b);
    assert.equal(sorted.length, 100);
    assert.ok((sorted[50] ?? Infinity) < 20_000, `50 %: ${sorted[50]} ms`);
    assert.ok((sorted[90] ?? Infinity) < 50_000, `90 %: ${sorted[90]} ms`);
    assert.ok((sorted[99] ?? Infinity) < 50_000, `99 %: ${sorted[99]} ms`);
  });
});
