import { strict as assert } from 'node:assert';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { EVENTS, PODS, SERVICES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { addNode, endpointsOf, seedPod, slicesOf, spec } from '../test-services.ts';
import { createTestWorld } from '../test-world.ts';

export const WHICH = ['endpoints-controller', 'endpointslice-controller', 'endpointslice-mirroring-controller'];

/** Under churn, kills and faults: exactly what a plain model holds, and then silence. */
export async function live(seed: number): Promise<void> {
  const world = createTestWorld(seed);
  const random = createSeededRandom(seed * 104_729);
  for (const name of ['n1', 'n2']) addNode(world, name, `zone-of-${name}`);
  const names = ['web', 'db'];
  for (const name of names) {
    await world.client
      .resource(SERVICES, 'ns')
      .create({ metadata: { name }, spec: spec(name, name === 'web' ? {} : { clusterIP: '10.96.0.8' }) });
  }
  world.network.faults.call = (call) => {
    if (call.cause === undefined || randomBelow(random, 10) > 0) return undefined;
    const kind = (['lose-request', 'lose-reply', 'delay', 'late'] as const)[randomBelow(random, 4)] ?? 'delay';
    return kind === 'delay' || kind === 'late' ? { kind, ms: randomBelow(random, 3000) } : { kind };
  };
  world.network.faults.watchDelayMs = () => (randomBelow(random, 3) === 0 ? randomBelow(random, 1500) : 0);
  let process = world.start(WHICH);
  for (let step = 0; step < 25; step++) {
    const number = 1 + randomBelow(random, 8);
    const there = world.api.objects(PODS).some((one) => one.metadata.name === `p${number}`);
    if (there && randomBelow(random, 3) === 0) {
      await world.client.resource(PODS, 'ns').delete(`p${number}`, { gracePeriodSeconds: 0 });
    } else {
      const [app, node] = [names[randomBelow(random, 2)] ?? '', `n${1 + randomBelow(random, 2)}`];
      seedPod(world, number, { app, node, ready: randomBelow(random, 3) > 0, going: randomBelow(random, 6) === 0 });
    }
    if (randomBelow(random, 12) === 0) {
      await process.kill();
      process = world.start(WHICH);
    }
    await world.run(randomBelow(random, 1500));
  }
  Object.assign(world.network.faults, { call: undefined, watchDelayMs: undefined });
  for (let i = 0; i < 20; i++) await world.run(20_000);
  for (const name of names) {
    const pods = world.api.objects(PODS).filter((pod) => pod.metadata.labels?.['app'] === name);
    const inSlices = slicesOf(world, name).flatMap((one) => (one.endpoints ?? []).map((each) => JSON.stringify(each)));
    const wanted = pods.map((pod) => JSON.stringify(naive(pod)));
    assert.deepEqual(inSlices.toSorted(), wanted.toSorted(), `seed ${seed}: slices of ${name}`);
    const left = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
    const subset = endpointsOf(world, name)?.subsets?.[0];
    const ips = [...(subset?.addresses ?? []), ...(subset?.notReadyAddresses ?? [])].map((one) => one.ip);
    const podIps = left.map((pod) => pod.status?.podIPs?.[0]?.ip ?? '');
    assert.deepEqual(ips.toSorted(), podIps.toSorted(), `seed ${seed}: ${name}`);
  }
  const before = world.network.calls.length;
  await world.run(1_000_000);
  assert.equal(world.network.calls.length, before, `seed ${seed}: silence`);
  assert.ok(world.api.objects(EVENTS).length < 200);
  await process.kill();
}

/** What a slice should say of a pod, in the plainest words. */
function naive(pod: Pod): unknown {
  const serving = pod.status?.conditions?.[0]?.status === 'True';
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const { name = '', uid = '' } = pod.metadata;
  return {
    addresses: [pod.status?.podIPs?.[0]?.ip],
    conditions: { ready: serving && !terminating, serving, terminating },
    targetRef: { kind: 'Pod', namespace: 'ns', name, uid },
    nodeName: pod.spec.nodeName,
    zone: `zone-of-${pod.spec.nodeName}`,
  };
}
