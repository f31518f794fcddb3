/** CPU and memory of containers that run, changed by the subresource `resize`: in the status, and in the kernel. */
import assert from 'node:assert/strict';
import { isPodReady, PODS } from '@binnacle/api';
import type { Container, Pod, ResourceRequirements } from '@binnacle/api/core/v1';
import { IMAGE, podOf, untilOne } from '../objects.ts';
import { exec, FOREVER } from '../real-containers.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

/** What a container's control group should say, of what is set. */
interface Kernel {
  readonly shares: number;
  readonly quota: number;
  readonly memory?: number;
}

/** One container before and after. */
interface Row {
  readonly before: ResourceRequirements;
  readonly after: ResourceRequirements;
  readonly kernel: Kernel;
}

const MI = 2 ** 20;
const sized = (cpu: string, memory: string): ResourceRequirements => ({
  requests: { cpu, memory },
  limits: { cpu, memory },
});
/** A guaranteed container of so many thousandths and mebibytes, and what it becomes. */
const guaranteed = (before: readonly [number, number], after: readonly [number, number]): Row => ({
  before: sized(`${before[0]}m`, `${before[1]}Mi`),
  after: sized(`${after[0]}m`, `${after[1]}Mi`),
  kernel: { shares: Math.floor((after[0] * 1024) / 1000), quota: after[0] * 100, memory: after[1] * MI },
});

const containersOf = (rows: readonly Row[], which: 'before' | 'after'): Container[] =>
  rows.map((row, i) => ({ name: `c${i + 1}`, image: IMAGE, command: ['sh', '-c', FOREVER], resources: row[which] }));

async function make(world: World, rows: readonly Row[]): Promise<Pod> {
  await world.client.resource(PODS, world.namespace).create(podOf('pod', { containers: containersOf(rows, 'before') }));
  return (await untilOne(world, PODS, { name: 'pod', what: 'ready', until: isPodReady })) as Pod;
}

/** The kubelet has seen the newest definition, and nothing of a resize is left to do. */
function isResized({ metadata, status }: Pod): boolean {
  const seen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return seen && status?.conditions?.some(({ type }) => type.startsWith('PodResize')) === false;
}

async function expectResized(world: World, rows: readonly Row[]): Promise<void> {
  const pod = (await untilOne(world, PODS, { name: 'pod', what: 'resized', until: isResized })) as Pod;
  for (const [i, { after, kernel }] of rows.entries()) {
    const name = `c${i + 1}`;
    assert.deepEqual(pod.spec.containers[i]?.resources, after, `${name}: asked for`);
    const status = pod.status?.containerStatuses?.find((one) => one.name === name);
    assert.deepEqual(status?.resources, after, `${name}: has`);
    assert.deepEqual(status?.allocatedResources, after.requests, `${name}: given`);
    assert.equal(status?.restartCount, 0);
    const files = ['cpu/cpu.shares', 'cpu/cpu.cfs_quota_us', 'memory/memory.limit_in_bytes'];
    const said = await exec(world, `pod -c ${name}`, ['cat', ...files.map((file) => `/sys/fs/cgroup/${file}`)]);
    const [shares, quota, memory] = said.trim().split('\n').map(Number);
    assert.deepEqual([shares, quota], [kernel.shares, kernel.quota], `${name}: kernel`);
    if (kernel.memory !== undefined) assert.equal(memory, kernel.memory, `${name}: kernel`);
  }
}

async function resizeBack(world: World, rows: readonly Row[]): Promise<void> {
  await make(world, rows);
  const containers = rows.map(({ after }, i) => ({ name: `c${i + 1}`, resources: after }));
  await world.client
    .resource(PODS, world.namespace)
    .patch('pod', 'strategic', { spec: { containers } }, { subresource: 'resize' });
  await expectResized(world, rows);
}

behaviours('containers', 'in-place resize', (check) => {
  const triples: readonly [codename: string, rows: readonly Row[]][] = [
    [
      '[sig-node] Pod InPlace Resize Container guaranteed pods with multiple containers 3 containers - increase cpu & mem on c1, c2, decrease cpu & mem on c3 - net increase [MinimumKubeletVersion:1.34] [Conformance]',
      [guaranteed([20, 20], [40, 40]), guaranteed([30, 30], [50, 50]), guaranteed([40, 40], [30, 30])],
    ],
    [
      '[sig-node] Pod InPlace Resize Container guaranteed pods with multiple containers 3 containers - increase cpu & mem on c1, decrease cpu & mem on c2, c3 - net decrease [MinimumKubeletVersion:1.34] [Conformance]',
      [guaranteed([20, 20], [30, 30]), guaranteed([50, 50], [30, 30]), guaranteed([60, 60], [40, 40])],
    ],
    [
      '[sig-node] Pod InPlace Resize Container guaranteed pods with multiple containers 3 containers - increase: CPU (c1,c3), memory (c2, c3) ; decrease: CPU (c2) [MinimumKubeletVersion:1.34] [Conformance]',
      [guaranteed([20, 20], [40, 20]), guaranteed([50, 20], [30, 40]), guaranteed([20, 20], [40, 40])],
    ],
  ];
  for (const [codename, rows] of triples) check(codename, (world) => resizeBack(world, rows));

  check(
    '[sig-node] Pod InPlace Resize Container burstable pods - extended 6 containers - various operations performed (including adding limits and requests) [MinimumKubeletVersion:1.34] [Conformance]',
    (world) =>
      resizeBack(world, [
        { before: {}, after: { requests: { cpu: '20m' } }, kernel: { shares: 20, quota: -1 } },
        {
          before: {},
          after: { requests: { memory: '20Mi' }, limits: { memory: '40Mi' } },
          kernel: { shares: 2, quota: -1, memory: 40 * MI },
        },
        {
          before: { requests: { cpu: '20m' } },
          after: { requests: { cpu: '20m' }, limits: { cpu: '40m' } },
          kernel: { shares: 20, quota: 4000 },
        },
        {
          before: { requests: { memory: '20Mi' } },
          after: { requests: { memory: '20Mi' }, limits: { memory: '40Mi' } },
          kernel: { shares: 2, quota: -1, memory: 40 * MI },
        },
        guaranteed([20, 20], [40, 40]),
        guaranteed([40, 40], [20, 20]),
      ]),
  );

  check(
    '[sig-node] Pod InPlace Resize Container burstable pods - extended resize with equivalents [MinimumKubeletVersion:1.34] [Conformance]',
    (world) =>
      resizeBack(world, [
        {
          before: { requests: { cpu: '2m' }, limits: { cpu: '10m' } },
          after: { requests: { cpu: '1m' }, limits: { cpu: '5m' } },
          kernel: { shares: 2, quota: 1000 },
        },
      ]),
  );

  check(
    '[sig-node] Pod InPlace Resize Container resize pod via the replace endpoint [MinimumKubeletVersion:1.34] [Conformance]',
    async (world) => {
      const rows = [guaranteed([20, 20], [40, 40])];
      await make(world, rows);
      const path = `/api/v1/namespaces/${world.namespace}/pods/pod`;
      const read = (await world.http(`${path}/resize`)).json<Pod>();
      const containers = read.spec.containers.map((one) => ({ ...one, resources: rows[0]?.after }));
      const body = { ...read, spec: { ...read.spec, containers } };
      assert.equal((await world.http(`${path}/resize`, { method: 'PUT', body })).code, 200);
      await expectResized(world, rows);
      const [whole, part] = [await world.http(path), await world.http(`${path}/resize`)];
      assert.deepEqual(part.json(), whole.json());
    },
  );
});
