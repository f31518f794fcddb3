import { strict as assert } from 'node:assert';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { ENDPOINT_SLICES, ENDPOINTS, EVENTS, NODES, PODS, SERVICES } from '@binnacle/api';
import type { Endpoints, Pod, Service } from '@binnacle/api/core/v1';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

export const WHICH = ['endpoints-controller', 'endpointslice-controller', 'endpointslice-mirroring-controller'];
export const HTTP = { name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' as const };
export const spec = (app: string, more: Partial<Service['spec']> = {}): Service['spec'] => ({
  selector: { app },
  ports: [HTTP],
  clusterIP: '10.96.0.7',
  ipFamilies: ['IPv4'],
  ...more,
});

interface PodFacts {
  readonly ready?: boolean;
  readonly node?: string;
  readonly app?: string;
  readonly phase?: 'Running' | 'Succeeded';
  readonly going?: boolean;
}

export function seedPod(world: TestWorld, number: number, facts: PodFacts = {}): Pod {
  const { ready = true, node = 'n1', app = 'web', phase = 'Running', going = false } = facts;
  const before = world.wire.objects(PODS).find((one) => one.metadata.name === `p${number}`);
  const uid = before === undefined ? {} : { uid: before.metadata.uid ?? '' };
  return world.wire.seed(PODS, {
    metadata: {
      name: `p${number}`,
      namespace: 'ns',
      labels: { app },
      ...uid,
      ...(going ? { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 } : {}),
    },
    spec: { containers: [{ name: 'c', image: 'x', ports: [{ name: 'web', containerPort: 9000 }] }], nodeName: node },
    status: {
      phase,
      podIPs: [{ ip: `10.0.0.${number}` }, { ip: `fd00::${number}` }],
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:01Z' }],
    },
  });
}

export function addNode(world: TestWorld, name: string, zone?: string): void {
  const labels = zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone };
  world.wire.seed(NODES, { metadata: { name, labels }, spec: {} });
}

export const endpointsOf = (world: TestWorld, name = 'web'): Endpoints | undefined =>
  world.wire.objects(ENDPOINTS).find((one) => one.metadata.name === name);
export const slicesOf = (world: TestWorld, name = 'web') =>
  world.wire.objects(ENDPOINT_SLICES).filter((one) => one.metadata.labels?.['kubernetes.io/service-name'] === name);

/** Under churn, kills and faults: exactly what a plain model holds, and then silence. */
export async function live(seed: number): Promise<void> {
  const world = createTestWorld(seed);
  const random = createSeededRandom(seed * 104_729);
  for (const name of ['n1', 'n2']) addNode(world, name, `zone-of-${name}`);
  const names = ['web', 'db'];
  for (const name of names) {
    await world.client.resource(SERVICES, 'ns').create({ metadata: { name }, spec: spec(name) });
  }
  world.wire.faults.call = (call) => {
    if (call.cause === undefined || randomBelow(random, 10) > 0) return undefined;
    const kind = (['lose-request', 'lose-reply', 'delay', 'late'] as const)[randomBelow(random, 4)] ?? 'delay';
    return kind === 'delay' || kind === 'late' ? { kind, ms: randomBelow(random, 3000) } : { kind };
  };
  world.wire.faults.watchDelayMs = () => (randomBelow(random, 3) === 0 ? randomBelow(random, 1500) : 0);
  let process = world.start(WHICH);
  for (let step = 0; step < 25; step++) {
    const number = 1 + randomBelow(random, 8);
    const there = world.wire.objects(PODS).some((one) => one.metadata.name === `p${number}`);
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
  Object.assign(world.wire.faults, { call: undefined, watchDelayMs: undefined });
  for (let i = 0; i < 20; i++) await world.run(20_000);
  for (const name of names) {
    const pods = world.wire.objects(PODS).filter((pod) => pod.metadata.labels?.['app'] === name);
    const inSlices = slicesOf(world, name).flatMap((one) => one.endpoints.map((each) => JSON.stringify(each)));
    const wanted = pods.map((pod) => JSON.stringify(naive(pod)));
    assert.deepEqual(inSlices.toSorted(), wanted.toSorted(), `seed ${seed}: slices of ${name}`);
    const left = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
    const subset = endpointsOf(world, name)?.subsets?.[0];
    const ips = [...(subset?.addresses ?? []), ...(subset?.notReadyAddresses ?? [])].map((one) => one.ip);
    const podIps = left.map((pod) => pod.status?.podIPs?.[0]?.ip ?? '');
    assert.deepEqual(ips.toSorted(), podIps.toSorted(), `seed ${seed}: ${name}`);
  }
  const before = world.wire.calls.length;
  await world.run(1_000_000);
  assert.equal(world.wire.calls.length, before, `seed ${seed}: silence`);
  assert.ok(world.wire.objects(EVENTS).length < 200);
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
