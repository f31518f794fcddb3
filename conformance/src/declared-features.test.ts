/** What a node declares that it can, shown with real containers: all of a pod begin anew, a pod as a whole and init containers are resized. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { isPodReady, NODES, PODS } from '@binnacle/api';
import type { Container, Pod, PodSpec, ResourceRequirements } from '@binnacle/api/core/v1';
import { podCgroups, skipWithoutContainerd, startContainerdCluster, waitFor } from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';

const IMAGE = 'binnacle.local/frontend:1.0';
const MI = 2 ** 20;
const FOREVER = 'sleep 100000';

const skip = await skipWithoutContainerd();

const running = (name: string, command: string, of: Partial<Container> = {}): Container => ({
  name,
  image: IMAGE,
  command: ['sh', '-c', command],
  ...of,
});

/** The kernel's limits of memory of a pod: of its own group first, then of its containers'. */
async function memoryLimits({
  metadata: { uid = '' },
}: Pod): Promise<{ readonly pod: number; readonly below: Set<number> }> {
  const group = podCgroups([uid]).find((path) => path.startsWith('/sys/fs/cgroup/memory/'));
  assert.ok(group !== undefined, 'the pod has a group');
  const limit = async (path: string): Promise<number> =>
    Number(await readFile(`${path}/memory.limit_in_bytes`, 'utf8'));
  const entries = await readdir(group, { withFileTypes: true });
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => limit(`${group}/${name}`));
  return { pod: await limit(group), below: new Set(await Promise.all(below)) };
}

/** The kubelet has seen the newest definition, and nothing of a resize is left to do. */
function isResized({ metadata, status }: Pod): boolean {
  const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return isSeen && status?.conditions?.some(({ type }) => type.startsWith('PodResize')) === false;
}

describe('what a node declares that it can', { skip }, () => {
  let cluster: OneProcessCluster;
  before(async () => (cluster = await startContainerdCluster()));
  after(() => cluster?.stop());

  const until = async (name: string, what: string, is: (pod: Pod) => boolean): Promise<Pod> => {
    const of = { client: cluster.client, resource: PODS, namespace: 'default', name, what };
    const [pod] = await waitFor({ ...of, until: (all) => all[0] !== undefined && is(all[0] as Pod) });
    return pod as Pod;
  };
  const create = async (name: string, spec: PodSpec): Promise<void> => {
    await cluster.client
      .resource(PODS, 'default')
      .create({ metadata: { name }, spec: { terminationGracePeriodSeconds: 1, ...spec } });
  };
  const resize = async (name: string, spec: object): Promise<void> => {
    await cluster.client.resource(PODS, 'default').patch(name, 'strategic', { spec }, { subresource: 'resize' });
  };

  test('it says so', async () => {
    const { items } = await cluster.client.resource(NODES).list();
    assert.deepEqual(items[0]?.status?.declaredFeatures, [
      'ExtendWebSocketsToKubelet',
      'InPlacePodLevelResourcesVerticalScaling',
      'InPlacePodVerticalScalingInitContainers',
      'RestartAllContainersOnContainerExits',
    ]);
  });

  test('the end of one container makes all begin anew, with their volumes and in their sandbox', async () => {
    const volumeMounts = [{ name: 'data', mountPath: '/data' }];
    const exitCodes = { operator: 'In', values: [42] };
    await create('anew', {
      restartPolicy: 'Never',
      volumes: [{ name: 'data', emptyDir: {} }],
      initContainers: [running('setup', 'echo >> /data/setups', { volumeMounts })],
      containers: [
        running('main', FOREVER, { lifecycle: { preStop: { exec: { command: ['sh', '-c', FOREVER] } } } }),
        running('once', 'exit 0'),
        running('side', `[ "$(wc -l < /data/setups)" = 1 ] && exit 42; ${FOREVER}`, {
          volumeMounts,
          restartPolicy: 'Never',
          restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes }],
        }),
      ],
    });
    const pod = await until('anew', 'began anew', ({ status }) => {
      const [main, once, side] = status?.containerStatuses ?? [];
      const run = main?.state?.running !== undefined && side?.state?.running !== undefined;
      return run && side.restartCount === 1 && once?.state?.terminated !== undefined;
    });
    const all = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
    for (const { name, restartCount, lastState } of all) {
      assert.equal(restartCount, 1, name);
      assert.equal(lastState?.terminated?.reason, 'RestartingAllContainers', name);
    }
    const condition = pod.status?.conditions?.find(({ type }) => type === 'AllContainersRestarting');
    assert.deepEqual([pod.status?.phase, condition?.status], ['Running', 'False']);
  });

  test('a pod as a whole is resized, and who has no limit of its own with it', async () => {
    const sized = (cpu: string, memory: string): object => ({
      requests: { cpu: '20m', memory: '32Mi' },
      limits: { cpu, memory },
    });
    await create('whole', { resources: sized('500m', '128Mi'), containers: [running('main', FOREVER)] });
    const before = await memoryLimits(await until('whole', 'ready', isPodReady));
    assert.equal(before.pod, 128 * MI);
    assert.ok(before.below.has(128 * MI));
    for (const [cpu, memory] of [
      ['1', 256],
      ['500m', 96],
    ] as const) {
      const resources = sized(cpu, `${memory}Mi`);
      await resize('whole', { resources });
      const pod = await until('whole', 'resized', isResized);
      assert.deepEqual(pod.status?.resources, resources);
      assert.deepEqual(pod.status.allocatedResources, { cpu: '20m', memory: '32Mi' });
      assert.equal(pod.status.containerStatuses?.[0]?.restartCount, 0);
      const limits = await memoryLimits(pod);
      assert.equal(limits.pod, memory * MI);
      assert.ok(limits.below.has(memory * MI));
    }
  });

  test('an init container that ends by itself is resized as it runs', async () => {
    const sized = (memory: string): ResourceRequirements => ({
      requests: { cpu: '20m', memory: '32Mi' },
      limits: { cpu: '500m', memory },
    });
    await create('init', {
      initContainers: [running('long', FOREVER, { resources: sized('128Mi') })],
      containers: [running('main', FOREVER)],
    });
    await until('init', 'runs', ({ status }) => status?.initContainerStatuses?.[0]?.state?.running !== undefined);
    await resize('init', { initContainers: [{ name: 'long', resources: sized('256Mi') }] });
    const pod = await until('init', 'resized', isResized);
    const [long] = pod.status?.initContainerStatuses ?? [];
    assert.deepEqual([long?.restartCount, long?.resources], [0, sized('256Mi')]);
    assert.ok((await memoryLimits(pod)).below.has(256 * MI));
  });
});
