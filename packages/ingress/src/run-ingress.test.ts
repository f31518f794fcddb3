import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { ENDPOINT_SLICES, EVENTS, INGRESS_CLASSES, INGRESSES, SECRETS, SERVICES } from '@binnacle/api';
import type { Secret, Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import type { Ingress } from '@binnacle/api/networking/v1';
import { status } from '@binnacle/machinery';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import { CONTROLLER } from './class-table.ts';
import type { DoorAnswer, DoorKind, Doors, Traffic } from './ports.ts';
import { runIngress } from './run-ingress.ts';

/** Doors that remember, and refuse when told to. */
class Recorded implements Doors {
  readonly ports = { http: 80, https: 443 };
  readonly open_ = new Set<DoorKind>();
  refused: { [kind in DoorKind]?: string } = {};
  traffic: Traffic | undefined;

  async open(kind: DoorKind): Promise<DoorAnswer> {
    const why = this.refused[kind];
    if (why !== undefined) return { refused: why };
    this.open_.add(kind);
    return { port: this.ports[kind] };
  }

  async close(): Promise<void> {
    this.open_.clear();
  }

  refusalOf({ key }: { readonly key: string }): string | undefined {
    return key === 'bad0' ? 'no pair' : undefined;
  }
}

function ingress(name: string, spec: object = {}): Ingress {
  const http = {
    paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } }],
  };
  return {
    metadata: { name, namespace: 'ns', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { ingressClassName: 'binnacle', rules: [{ http }], ...spec },
  } as Ingress;
}

const WEB = { metadata: { name: 'web', namespace: 'ns' }, spec: { ports: [{ port: 80 }] } } as unknown as Service;
const SLICE = {
  metadata: { name: 'web-1', namespace: 'ns', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.1.0.1'] }],
  ports: [{ port: 8080 }],
} as unknown as EndpointSlice;

async function start() {
  const clock = new VirtualClock();
  const world = { clock, random: createSeededRandom(1), log: silentLogger };
  const wire = overFaultyNetwork(createMemoryApi(world), clock);
  for (const [name, controller] of [
    ['binnacle', CONTROLLER],
    ['theirs', 'example.com/ingress'],
  ] as const)
    wire.seed(INGRESS_CLASSES, { metadata: { name }, spec: { controller } });
  const scope = new Scope('ingress', { log: silentLogger });
  const client = createClient(wire);
  const doors = new Recorded();
  const openDoors = (traffic: Traffic): Doors => {
    doors.traffic = traffic;
    return doors;
  };
  const run = (own: Scope, addresses: readonly string[] = ['192.0.2.1']) =>
    runIngress({ client, world, scope: own, addresses, openDoors });
  const running = run(scope);
  const settle = (): Promise<void> => clock.advance(1000);
  await settle();
  const statusOf = (name: string) =>
    wire.objects(INGRESSES).find(({ metadata }) => metadata.name === name)?.status?.loadBalancer?.ingress;
  const told = (): (string | undefined)[] => wire.objects(EVENTS).map(({ message }) => message);
  const route = (path = '/'): string => {
    const answer = doors.traffic?.route('x', path);
    if (answer === undefined) return '';
    return answer.kind === 'places' ? answer.places.map(({ address }) => address).join() : `${answer.status}`;
  };
  const listeners = (): number => getEventListeners(scope.signal, 'abort').length;
  return {
    clock,
    client,
    faults: wire.faults,
    doors,
    running,
    settle,
    statusOf,
    told,
    route,
    listeners,
    run,
    stop: () => scope.close(),
  };
}

const AT = [
  {
    ip: '192.0.2.1',
    ports: [
      { port: 80, protocol: 'TCP' },
      { port: 443, protocol: 'TCP' },
    ],
  },
];

test('doors open with the first Ingress of the class, and close with the last', async () => {
  const { client, doors, settle, statusOf, route, stop } = await start();
  const all = client.resource(INGRESSES, 'ns');
  await client.resource(SERVICES, 'ns').create(WEB);
  await client.resource(ENDPOINT_SLICES, 'ns').create(SLICE);
  await all.create(ingress('theirs', { ingressClassName: 'theirs' }));
  await settle();
  assert.equal(doors.open_.size, 0);
  await all.create(ingress('ours'));
  await settle();
  assert.deepEqual([...doors.open_], ['http', 'https']);
  assert.deepEqual(statusOf('ours'), AT);
  assert.equal(statusOf('theirs'), undefined);
  assert.equal(route(), '10.1.0.1');
  await all.patch('ours', 'merge', { spec: { ingressClassName: 'theirs' } });
  await settle();
  assert.equal(doors.open_.size, 0);
  assert.equal(statusOf('ours'), undefined, 'who leaves the class is not reached here any more');
  await stop();
});

test('the class by annotation, as of old', async () => {
  const { client, settle, statusOf, stop } = await start();
  const { ingressClassName: _none, ...spec } = ingress('old').spec;
  const metadata = { name: 'old', namespace: 'ns', annotations: { 'kubernetes.io/ingress.class': 'binnacle' } };
  await client.resource(INGRESSES, 'ns').create({ metadata, spec });
  await settle();
  assert.deepEqual(statusOf('old'), AT);
  await stop();
});

test('endpoints are followed as they come and go', async () => {
  const { client, settle, route, told, stop } = await start();
  await client.resource(INGRESSES, 'ns').create(ingress('ours'));
  await settle();
  assert.deepEqual([route(), route('/x')], ['503', '503']);
  assert.deepEqual(told(), ['Service ns/web does not exist']);
  await client.resource(SERVICES, 'ns').create(WEB);
  await client.resource(ENDPOINT_SLICES, 'ns').create(SLICE);
  await settle();
  assert.equal(route(), '10.1.0.1');
  const endpoints = [{ addresses: ['10.1.0.2'], conditions: { ready: true } }];
  await client.resource(ENDPOINT_SLICES, 'ns').patch('web-1', 'merge', { endpoints });
  await settle();
  assert.equal(route(), '10.1.0.2');
  assert.equal(told().length, 1, 'what was mended is not told again');
  await stop();
});

test('a port that is taken is said once, and tried again', async () => {
  const { clock, client, doors, settle, statusOf, told, stop } = await start();
  await client.resource(SERVICES, 'ns').create(WEB);
  doors.refused = { http: 'EADDRINUSE', https: 'EADDRINUSE' };
  await client.resource(INGRESSES, 'ns').create(ingress('ours'));
  await clock.advance(90_000);
  assert.deepEqual(told(), ['the port for http is not open: EADDRINUSE', 'the port for https is not open: EADDRINUSE']);
  assert.equal(statusOf('ours'), undefined);
  doors.refused = {};
  await clock.advance(31_000);
  assert.deepEqual(statusOf('ours'), AT);
  await settle();
  await stop();
});

test('a port that a load balancer has is left to it', async () => {
  const { client, doors, settle, told, stop } = await start();
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1', ipMode: 'VIP' as const }] } };
  const made = await client.resource(SERVICES, 'ns').create(WEB);
  await client.resource(SERVICES, 'ns').updateStatus({ ...made, status });
  await client.resource(INGRESSES, 'ns').create(ingress('ours'));
  await settle();
  assert.deepEqual([...doors.open_], ['https']);
  assert.deepEqual(told(), ['the port for http is not open: it is given to Service ns/web']);
  await stop();
});

test('certificates of Secrets; one that is none is said', async () => {
  const { client, doors, settle, told, stop } = await start();
  const secret = (name: string, key: string): Secret =>
    ({
      metadata: { name, namespace: 'ns' },
      type: 'kubernetes.io/tls',
      data: { 'tls.crt': 'Y2VydA==', 'tls.key': key },
    }) as Secret;
  await client.resource(SERVICES, 'ns').create(WEB);
  await client.resource(SECRETS, 'ns').create(secret('good', 'good'));
  await client.resource(SECRETS, 'ns').create(secret('bad', 'bad0'));
  const tls = [
    { hosts: ['a.org'], secretName: 'good' },
    { hosts: ['b.org'], secretName: 'bad' },
    { hosts: ['c.org'], secretName: 'none' },
  ];
  await client.resource(INGRESSES, 'ns').create(ingress('ours', { tls }));
  await settle();
  const keys = ['a.org', 'b.org', 'c.org', 'd.org'].map((name) => doors.traffic?.certificateFor(name)?.key);
  assert.deepEqual(keys, ['good', undefined, undefined, undefined]);
  assert.deepEqual(told().toSorted(), [
    'Secret ns/bad is not served: no pair',
    'Secret ns/none of type kubernetes.io/tls does not exist',
  ]);
  await stop();
});

test('parameters of a class are not ignored in silence', async () => {
  const { client, settle, told, stop } = await start();
  const parameters = { kind: 'Params', name: 'x' };
  await client
    .resource(INGRESS_CLASSES)
    .create({ metadata: { name: 'more' }, spec: { controller: CONTROLLER, parameters } });
  await settle();
  assert.deepEqual(told(), ['spec.parameters is not used: this controller has none']);
  await stop();
});

test('however often something changes, nothing of it is kept by the end of the controller', async () => {
  const { client, doors, settle, listeners, stop } = await start();
  doors.refused = { http: 'a program of the node has it' };
  const all = client.resource(INGRESSES, 'ns');
  await all.create(ingress('ours'));
  await settle();
  const before = listeners();
  for (let round = 0; round < 10; round++) {
    await all.create(ingress(`another-${round}`));
    await settle();
  }
  assert.equal(listeners(), before);
  await stop();
});

test('an Ingress whose status somebody refuses keeps no other from its own, and gets it when it may', async () => {
  const { client, clock, faults, settle, statusOf, stop } = await start();
  faults.call = ({ verb, name }) =>
    verb === 'update' && name === 'a'
      ? { kind: 'refuse', error: status.forbidden(INGRESSES, 'a', 'a policy says so') }
      : undefined;
  for (const name of ['a', 'b']) await client.resource(INGRESSES, 'ns').create(ingress(name));
  await settle();
  assert.deepEqual([statusOf('a'), statusOf('b')], [undefined, AT]);
  faults.call = undefined;
  await clock.advance(60_000);
  assert.deepEqual(statusOf('a'), AT);
  await client.resource(INGRESSES, 'ns').patch('a', 'merge', { spec: { ingressClassName: 'theirs' } });
  await settle();
  assert.equal(statusOf('a'), undefined);
  await stop();
});

test('who leaves the class, or whose class goes, while nobody runs is told so at the next start; another’s word stays', async () => {
  const { client, settle, statusOf, run, stop } = await start();
  const all = client.resource(INGRESSES, 'ns');
  for (const name of ['left', 'orphan', 'taken', 'stays']) await all.create(ingress(name));
  await client.resource(INGRESS_CLASSES).create({ metadata: { name: 'second' }, spec: { controller: CONTROLLER } });
  await all.patch('orphan', 'merge', { spec: { ingressClassName: 'second' } });
  await settle();
  for (const name of ['left', 'orphan', 'taken', 'stays']) assert.deepEqual(statusOf(name), AT);
  await stop();
  for (const name of ['left', 'taken']) await all.patch(name, 'merge', { spec: { ingressClassName: 'theirs' } });
  await client.resource(INGRESS_CLASSES).delete('second');
  const theirs = await all.get('taken');
  await all.updateStatus({ ...theirs, status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } });
  const scope = new Scope('again', { log: silentLogger });
  run(scope);
  await settle();
  assert.deepEqual([statusOf('left'), statusOf('orphan'), statusOf('stays')], [undefined, undefined, AT]);
  assert.deepEqual(statusOf('taken'), [{ ip: '192.0.2.1' }]);
  await scope.close();
});

test('an Ingress that changes while it is told that it left is told again', async () => {
  const { client, faults, settle, statusOf, stop } = await start();
  const all = client.resource(INGRESSES, 'ns');
  await all.create(ingress('ours'));
  await settle();
  let conflicts = 0;
  faults.call = ({ verb }) =>
    verb === 'update' && conflicts++ === 0
      ? { kind: 'refuse', error: status.conflict(INGRESSES, 'ours', 'it changed') }
      : undefined;
  await all.patch('ours', 'merge', { spec: { ingressClassName: 'theirs' } });
  await settle();
  await all.patch('ours', 'merge', { metadata: { labels: { a: 'b' } } });
  await settle();
  assert.equal(statusOf('ours'), undefined);
  await stop();
});

test('an address of the node that a Service names as external is told, and is none of an Ingress’s', async () => {
  const { client, settle, doors, statusOf, told, run, stop } = await start();
  await stop();
  const scope = new Scope('two addresses', { log: silentLogger });
  run(scope, ['192.0.2.1', '192.0.2.2']);
  const spec = { ...WEB.spec, externalIPs: ['192.0.2.1'] };
  await client.resource(SERVICES, 'ns').create({ ...WEB, spec } as Service);
  await client.resource(INGRESSES, 'ns').create(ingress('ours'));
  await settle();
  assert.deepEqual([...doors.open_], ['http', 'https']);
  assert.deepEqual(
    statusOf('ours')?.map(({ ip, ports }) => [ip, ports?.map(({ port }) => port)]),
    [
      ['192.0.2.1', [443]],
      ['192.0.2.2', [80, 443]],
    ],
  );
  assert.deepEqual(told(), ['the port for http of 192.0.2.1 leads to Service ns/web']);
  await client.resource(SERVICES, 'ns').patch('web', 'merge', { spec: { externalIPs: ['192.0.2.1', '192.0.2.2'] } });
  await settle();
  assert.deepEqual(told().at(-1), 'the port for http is not open: it is given to Service ns/web');
  await scope.close();
});
