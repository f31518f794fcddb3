import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock, silentLogger } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import type { ResourceClaim } from '@binnacle/api/resource/v1';
import type { PluginWire } from '../ports.ts';
import { lonelyWire } from '../testing/plugins.ts';
import { testPod } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import type { MemoryFiles } from '../volume/memory-files.ts';
import { ClaimDrivers } from './claim-drivers.ts';
import { NodeClaims } from './node-claims.ts';

const DRIVER = 'gpu.example';

interface Bench {
  readonly clock: VirtualClock;
  readonly files: MemoryFiles;
  readonly claims: NodeClaims;
  readonly drivers: ClaimDrivers;
  readonly calls: string[];
  readonly objects: Map<string, ResourceClaim>;
  /** What the driver says in place of its answer. */
  error: string;
}

/** A device for each of these requests. */
async function bench(files = createMemoryFiles(), requests = ['one']): Promise<Bench> {
  const calls: string[] = [];
  const clock = new VirtualClock();
  const wire: PluginWire = {
    ...lonelyWire,
    async call(socket, { method, protocol }, request) {
      const { claims } = request as { readonly claims: readonly { readonly uid: string; readonly name: string }[] };
      calls.push(`${protocol} ${socket} ${method} ${claims.map(({ name }) => name).join()}`);
      const devices = requests.map((request, i) => {
        const name = `d${i === 0 ? '' : i}`;
        return { pool_name: 'p', device_name: name, cdi_device_ids: [`v.e/c=${name}`], request_names: [request] };
      });
      const answer = { devices, error: made.error };
      return { claims: Object.fromEntries(claims.map(({ uid }) => [uid, answer])) };
    },
  };
  const drivers = new ClaimDrivers({
    wire,
    clock,
    arrived: (driver) => calls.push(`arrived ${driver}`),
    lost: (driver) => calls.push(`lost ${driver}`),
  });
  const objects = new Map<string, ResourceClaim>();
  const resourceClaim = async (_: string, name: string): Promise<ResourceClaim | undefined> => objects.get(name);
  const of = { path: '/k/state', files, drivers, objects: { resourceClaim }, cdiDirectories: [], log: silentLogger };
  const claims = new NodeClaims(of);
  await claims.recall();
  const made: Bench = { clock, files, claims, drivers, calls, objects, error: '' };
  return made;
}

const plugin = { name: DRIVER, endpoint: '/s', versions: ['v1.DRAPlugin', 'v1beta1.DRAPlugin'] };

function claimFor(name: string, ...pods: readonly string[]): ResourceClaim {
  const results = [{ request: 'one', driver: DRIVER, pool: 'p', device: 'd' }];
  return {
    metadata: { name, namespace: 'default', uid: `claim-${name}` },
    spec: { devices: { requests: [] } },
    status: {
      allocation: { devices: { results } },
      reservedFor: pods.map((pod) => ({ resource: 'pods', name: pod, uid: `uid-${pod}` })),
    },
  };
}

const user = (name: string, claim = 'c'): Pod =>
  testPod({ name, spec: { resourceClaims: [{ name: 'gpu', resourceClaimName: claim }] } });

async function registered(of: Bench): Promise<Bench> {
  of.drivers.validate(plugin);
  await of.drivers.register(plugin);
  of.calls.length = 0;
  return of;
}

const wants = (request?: string): Parameters<NodeClaims['devicesOf']>[1] => ({
  name: 'c',
  resources: { claims: [{ name: 'gpu', ...(request === undefined ? {} : { request }) }] },
});

test('two pods share a claim: prepared once, taken back with the last', async () => {
  const of = await registered(await bench());
  of.objects.set('c', claimFor('c', 'a', 'b'));
  await Promise.all([of.claims.prepare(user('a')), of.claims.prepare(user('b'))]);
  await of.claims.prepare(user('a'));
  assert.deepEqual(of.calls, ['dra /s NodePrepareResources c']);
  await of.claims.release('uid-a');
  assert.equal(of.calls.length, 1);
  await of.claims.release('uid-b');
  await of.claims.release('uid-b');
  assert.deepEqual(of.calls.slice(1), ['dra /s NodeUnprepareResources c']);
  assert.deepEqual(of.claims.pods, []);
});

test('a container gets the devices of the request that it names, alternatives among them', async () => {
  const of = await registered(await bench());
  of.objects.set('c', claimFor('c', 'a'));
  assert.throws(() => of.claims.devicesOf(user('a'), wants()), /ResourceClaim c is not prepared/);
  await of.claims.prepare(user('a'));
  const idsOf = (request?: string): readonly string[] =>
    of.claims.devicesOf(user('a'), wants(request)).flatMap(({ devices }) => devices.flatMap(({ cdiIds }) => cdiIds));
  assert.deepEqual([idsOf(), idsOf('one'), idsOf('other')], [['v.e/c=d'], ['v.e/c=d'], []]);
  assert.deepEqual(of.claims.devicesOf(user('a'), { name: 'c' }), []);
});

test('the next kubelet knows what was prepared, and takes it back', async () => {
  const before = await registered(await bench());
  before.objects.set('c', claimFor('c', 'a'));
  await before.claims.prepare(user('a'));
  const of = await bench(before.files);
  assert.deepEqual(of.claims.pods, ['uid-a']);
  assert.equal(of.claims.devicesOf(user('a'), wants()).length, 1);
  await assert.rejects(of.claims.release('uid-a'), /DRA driver gpu.example is not registered/);
  await registered(of);
  await of.claims.release('uid-a');
  assert.deepEqual(of.calls, ['dra /s NodeUnprepareResources c']);
});

test('what was begun is taken back too, also where nobody answered', async () => {
  const of = await registered(await bench());
  of.objects.set('c', claimFor('c', 'a'));
  of.error = 'on fire';
  await assert.rejects(of.claims.prepare(user('a')), /NodePrepareResources failed for ResourceClaim c: on fire/);
  const next = await registered(await bench(of.files));
  assert.deepEqual(next.claims.pods, ['uid-a']);
  await next.claims.release('uid-a');
  assert.deepEqual(next.calls, ['dra /s NodeUnprepareResources c']);
});

for (const [name, pod, claim, words] of [
  ['that is not there', user('a', 'none'), claimFor('c', 'a'), /ResourceClaim default\/none not found/],
  ['kept for others', user('a'), claimFor('c', 'b'), /pod a \(uid-a\) is not allowed to use ResourceClaim c/],
  [
    'that is not made yet',
    testPod({ name: 'a', spec: { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 't' }] } }),
    claimFor('c', 'a'),
    /ResourceClaim not created yet/,
  ],
  [
    "another pod's own",
    testPod({
      name: 'a',
      spec: { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 't' }] },
      status: { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'c' }] },
    }),
    claimFor('c', 'a'),
    /was not created for pod default\/a \(pod is not owner\)/,
  ],
] as const) {
  test(`refused: a claim ${name}`, async () => {
    const of = await registered(await bench());
    of.objects.set('c', claim);
    await assert.rejects(of.claims.prepare(pod), words);
    assert.deepEqual(of.calls, []);
  });
}

test('a driver of the elder version is spoken to in it; one of none is refused', async () => {
  const of = await bench();
  assert.throws(() => of.drivers.validate({ ...plugin, versions: ['1.0.0'] }), /supports none of the gRPC services/);
  await of.drivers.register({ ...plugin, versions: ['v1beta1.DRAPlugin'] });
  await of.drivers.prepare(DRIVER, { namespace: 'n', name: 'c', uid: 'u' });
  assert.deepEqual(of.calls, [`arrived ${DRIVER}`, 'draBeta /s NodePrepareResources c']);
});

test('a driver that goes and comes back is not lost; one that stays away is', async () => {
  const of = await registered(await bench());
  await of.drivers.deregister(plugin);
  await of.clock.advance(20_000);
  await of.drivers.register({ ...plugin, endpoint: '/t' });
  // The socket of before ends a little later.
  await of.drivers.deregister(plugin);
  await of.clock.advance(40_000);
  assert.deepEqual(of.calls, [`arrived ${DRIVER}`, 'lost ']);
  await of.drivers.deregister({ ...plugin, endpoint: '/t' });
  await of.clock.advance(30_000);
  assert.deepEqual(of.calls.slice(2), [`lost ${DRIVER}`]);
  of.drivers.close();
});

for (const text of [
  ...['', '{', 'null', '{"claims":{}}', '{"claims":[1,{"uid":2}]}', '{"claims":[null]}'],
  '{"claims":[{"namespace":"n","name":"c","uid":"u","drivers":[null],"pods":["p"]}]}',
  '{"claims":[{"namespace":"n","name":"c","uid":"u","drivers":["d"],"pods":["p"],"devices":[null]}]}',
]) {
  test(`a file of claims that cannot be read is none: ${text}`, async () => {
    const files = createMemoryFiles();
    await files.writeFile('/k/state', new TextEncoder().encode(text));
    assert.deepEqual((await bench(files)).claims.pods, []);
  });
}

test('devices that stand for extended resources go to the containers whose requests they were given for', async () => {
  const requests = ['container-0-request-0', 'container-1-request-0', 'container-1-request-1'];
  const of = await registered(await bench(createMemoryFiles(), requests));
  const mapping = (containerName: string, at: number): object => ({
    containerName,
    resourceName: 'x.io/gpu',
    requestName: requests[at],
  });
  const pod = testPod({ name: 'a', spec: {} });
  const status = {
    extendedResourceClaimStatus: {
      resourceClaimName: 'e',
      requestMappings: [mapping('one', 0), mapping('two', 1), mapping('two', 2), mapping('first', 1)],
    },
  };
  const told = { ...pod, status: { ...pod.status, ...status } } as Pod;
  const claim = claimFor('e', 'a');
  of.objects.set('e', claim);
  await assert.rejects(of.claims.prepare(told), /was not created for pod default\/a \(pod is not owner\)/);
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: told.metadata.uid ?? '', controller: true };
  of.objects.set('e', { ...claim, metadata: { ...claim.metadata, ownerReferences: [owner] } });
  assert.throws(() => of.claims.devicesOf(told, { name: 'one' }), /ResourceClaim e is not prepared/);
  await of.claims.prepare(told);
  assert.deepEqual(of.calls, ['dra /s NodePrepareResources e']);
  const devicesOf = (name: string): readonly (readonly string[])[] =>
    of.claims.devicesOf(told, { name }).map(({ devices }) => devices.map(({ device }) => device));
  assert.deepEqual(['one', 'two', 'first', 'without'].map(devicesOf), [[['d']], [['d1', 'd2']], [['d1']], []]);
  await of.claims.release(told.metadata.uid ?? '');
  assert.deepEqual(of.calls.slice(1), ['dra /s NodeUnprepareResources e']);
});
