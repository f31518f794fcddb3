import { benchPod, createPods } from '../pods.ts';
import { createNodes, untilBound } from '../fill.ts';
import { startProgram } from '../program.ts';
import { ThreadCpu } from '../thread-cpu.ts';
import { atLeast } from '../row.ts';
import type { Measurement } from '../row.ts';

const NODE_COUNT = 5_000;
const POD_COUNT = 10_000;

/** 10,000 pods onto 5,000 nodes that exist in the API, from the first create to the last binding. */
export const scheduling: Measurement = {
  name: 'scheduling',
  async run() {
    const program = await startProgram(['--runtime', 'simulated', '--nodes', '0', '--store', 'memory']);
    try {
      await createNodes(program.client, NODE_COUNT);
      const began = performance.now();
      const done = untilBound(program.client, POD_COUNT);
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
      await program.stop();
    }
  },
};
