import { NODES, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { Scope, silentLogger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { createInformer } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { BenchError } from '../errors.ts';
import { benchPod, createPods } from '../pods.ts';
import { startProgram } from '../program.ts';
import { ThreadCpu } from '../thread-cpu.ts';
import { atLeast } from '../row.ts';
import type { Measurement } from '../row.ts';

const NODE_COUNT = 5_000;
const POD_COUNT = 10_000;
const DEADLINE_MS = 120_000;

async function createNodes(client: Client): Promise<void> {
  const api = client.resource(NODES);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < NODE_COUNT; i = next++) {
      const name = `bench-${i}`;
      await api.create({ metadata: { name, labels: { 'kubernetes.io/hostname': name } }, spec: {} });
      const room = { cpu: '4', memory: '32Gi', pods: '110' };
      const conditions = [{ type: 'Ready', status: 'True', reason: 'Bench', message: '' }];
      await api.patch(
        name,
        'merge',
        { status: { capacity: room, allocatable: room, conditions } },
        { subresource: 'status' },
      );
      await api.patch(name, 'merge', { spec: { taints: null } });
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
}

/** Resolves when as many pods as wanted have a node. */
async function untilBound(client: Client, count: number, scope: Scope): Promise<void> {
  const pods = createInformer(
    client,
    PODS,
    { clock: realClock, random: secureRandom, log: silentLogger },
    { namespace: 'default' },
  );
  const bound = new Set<string>();
  const done = Promise.withResolvers<void>();
  const take = (pod: Pod): void => {
    if (pod.spec.nodeName !== undefined) bound.add(pod.metadata.name ?? '');
    if (bound.size >= count) done.resolve();
  };
  pods.subscribe({ add: take, update: (_, pod) => take(pod) });
  pods.start(scope);
  const late = realClock.after(DEADLINE_MS, () => {
    done.reject(new BenchError(`${bound.size} of ${count} pods were bound in ${DEADLINE_MS} ms`));
  });
  await done.promise.finally(() => late.cancel());
}

/** 10,000 pods onto 5,000 nodes that exist in the API, from the first create to the last binding. */
export const scheduling: Measurement = {
  name: 'scheduling',
  async run() {
    const program = await startProgram(['--runtime', 'simulated', '--nodes', '0', '--store', 'memory']);
    const scope = new Scope('bench');
    try {
      await createNodes(program.client);
      const began = performance.now();
      const done = untilBound(program.client, POD_COUNT, scope);
      const cpu = new ThreadCpu(program.pid);
      const work = [createPods(program.client, POD_COUNT, (i) => benchPod(`p-${i}`, 'default-scheduler')), done];
      await cpu.during(() => Promise.all(work));
      const seconds = (performance.now() - began) / 1000;
      const reference = { name: "upstream's floor (scheduler_perf SchedulingBasic)", value: 680 };
      return [
        atLeast(
          {
            name: 'scheduling, 5,000 nodes',
            value: Math.round(POD_COUNT / seconds),
            unit: 'pods/s',
            reference,
            cpu: cpu.per('pod', POD_COUNT),
          },
          5_000,
        ),
      ];
    } finally {
      await scope.close();
      await program.stop();
    }
  },
};
