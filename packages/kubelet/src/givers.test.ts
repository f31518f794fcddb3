import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Scope, VirtualClock, createSeededRandom, silentLogger } from '@binnacle/base';
import { createSimulatedNode } from '@binnacle/runtime/simulated';
import { kubeletConfig } from './config.ts';
import type { KubeletConfig } from './config.ts';
import { createGivers } from './givers.ts';
import { numaNodes } from './testing/giving.ts';
import { testMachine, testPod } from './testing/node.ts';
import { createMemoryFiles } from './volume/memory-files.ts';

const GI = 2 ** 30;
const CONFIG: Partial<KubeletConfig> = {
  cpuManagerPolicy: 'static',
  reservedCpus: [0],
  memoryManagerPolicy: 'Static',
  topologyManagerPolicy: 'single-numa-node',
  systemReserved: { milliCpu: 0, memoryBytes: GI, ephemeralStorageBytes: 0 },
  reservedMemory: new Map([[0, new Map([['memory', GI]])]]),
};

/** Two nodes of two CPUs and two gigabytes each; CPU 0 and a gigabyte of the first are kept. */
async function giversOf(config: Partial<KubeletConfig> = CONFIG) {
  const clock = new VirtualClock();
  const random = createSeededRandom(1);
  const machine = {
    ...testMachine,
    cpuTopology: async () => [0, 1, 2, 3].map((id) => ({ id, core: id, socket: 0, node: id < 2 ? 0 : 1 })),
    numaNodes: async () => numaNodes(2, 2 * GI),
  };
  const options = {
    config: kubeletConfig({ nodeName: 'n1', ...config }),
    runtime: createSimulatedNode({ clock, random }).connect(),
    sources: [],
    files: createMemoryFiles(),
    machine,
    clock,
    random,
    log: silentLogger,
    scope: new Scope('test'),
  };
  const givers = createGivers(options, { devices: undefined, sharedCpusChanged: () => undefined });
  await givers.recall();
  return givers;
}

function podOf(uid: string, cpu: string, memory: string): ReturnType<typeof testPod> {
  const amounts = { cpu, memory };
  const resources = { limits: amounts, requests: amounts };
  return { ...testPod({ metadata: { uid, name: uid }, container: { resources } }), status: {} };
}

test('CPUs and memory of a container come from one node', async () => {
  const { alignment, cpus, memory } = await giversOf();
  assert.equal(await alignment?.give(podOf('a', '1', '1536Mi')), undefined);
  assert.deepEqual([cpus?.own('a', 'main'), memory?.groupNodes('a', 'main')], [[2], '1']);
  assert.equal(await alignment?.give(podOf('b', '1', '1Gi')), undefined);
  assert.deepEqual([cpus?.own('b', 'main'), memory?.groupNodes('b', 'main')], [[1], '0']);
  const refused = await alignment?.give(podOf('c', '1', '1Gi'));
  assert.equal(refused?.reason, 'TopologyAffinityError', 'a CPU is left on the one node, memory on none');
  assert.deepEqual([cpus?.own('c', 'main'), alignment?.counts], [undefined, { requests: 3, errors: 1 }]);
});

test('as far as it goes, or not at all: as the policy says', async () => {
  const { alignment, cpus, memory } = await giversOf({ ...CONFIG, topologyManagerPolicy: 'best-effort' });
  assert.equal(await alignment?.give(podOf('a', '3', '1536Mi')), undefined);
  assert.deepEqual([cpus?.own('a', 'main'), memory?.groupNodes('a', 'main')], [[1, 2, 3], '0-1']);
  const strict = await giversOf({ ...CONFIG, topologyManagerPolicy: 'restricted' });
  assert.equal((await strict.alignment?.give(podOf('a', '3', '1536Mi')))?.reason, 'TopologyAffinityError');
});
