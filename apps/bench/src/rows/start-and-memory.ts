import { PODS } from '@binnacle/api';
import { BenchError } from '../errors.ts';
import type { Measurement, Row } from '../row.ts';
import { atMost, median } from '../row.ts';
import { startEtcd } from '../etcd.ts';
import { join } from 'node:path';
import { pass, residentMegabytes, startProgram } from '../program.ts';
import { ThreadCpu, untilAtRest } from '../thread-cpu.ts';
import { benchPod, createPods, deletePods } from '../pods.ts';

const STARTS = 5;
const SETTLE_MS = 3_000;
/** Memory goes back to the system once a thread has rested for ten times the pause that this takes: 2 s after this burst. */
const REST_MS = 6_000;
const IDLE_MS = 20_000;
const CHURN = 10_000;

/** Process start → listening, ready, node Ready, on the bundle with a fresh sqlite store. */
export const start: Measurement = {
  name: 'start',
  async run() {
    const times: { ready: number; nodeReady: number }[] = [];
    const used: ThreadCpu[] = [];
    let etcdMs = Number.NaN;
    for (let i = 0; i < STARTS; i++) {
      const program = await startProgram(['--runtime', 'simulated']);
      times.push(program.timings);
      used.push(ThreadCpu.sinceStart(program.pid));
      if (i === 0) {
        const etcd = await startEtcd(join(program.dataDir, 'pki'));
        etcdMs = etcd.startMs;
        await etcd.stop();
      }
      await program.stop();
    }
    const reference = { name: 'etcd alone, healthy', value: Math.round(etcdMs) };
    const cpu = used.toSorted((a, b) => a.totalUs - b.totalUs)[Math.floor(used.length / 2)]?.per('start', 1);
    return [
      atMost({ name: 'start to ready', value: median(times.map((t) => t.ready)), unit: 'ms', reference }, 500),
      atMost(
        {
          name: 'start to node Ready',
          value: median(times.map((t) => t.nodeReady)),
          unit: 'ms',
          reference,
          ...(cpu === undefined ? {} : { cpu }),
        },
        1000,
      ),
    ];
  },
};

/** Memory of the whole process and CPU at rest, one simulated node; then after 10,000 creates and deletes. */
export const memory: Measurement = {
  name: 'memory',
  async run() {
    const program = await startProgram(['--runtime', 'simulated']);
    const rows: Row[] = [];
    try {
      await pass(SETTLE_MS);
      rows.push(
        atMost(
          { name: 'memory, fresh', value: Math.round(residentMegabytes(program.pid)), unit: 'MB', reference: null },
          100,
        ),
      );
      await untilAtRest(program.pid);
      const idle = new ThreadCpu(program.pid);
      await idle.during(() => pass(IDLE_MS));
      const share = (idle.totalUs / (IDLE_MS * 1000)) * 100;
      rows.push(
        atMost(
          {
            name: 'CPU at rest',
            value: Number(share.toFixed(2)),
            unit: '% of a core',
            reference: null,
            cpu: idle.per('second', IDLE_MS / 1000),
          },
          0.5,
        ),
      );
      // A scheduler of another name keeps the pods where they are: this is about the API server and its store.
      const churn = new ThreadCpu(program.pid);
      await churn.during(async () => {
        const names = await createPods(program.client, CHURN, (i) => benchPod(`churn-${i}`, 'nobody'));
        await deletePods(program.client, names);
      });
      await pass(REST_MS);
      rows.push(
        atMost(
          {
            name: 'memory after 10,000 creates and deletes',
            value: Math.round(residentMegabytes(program.pid)),
            unit: 'MB',
            reference: null,
            cpu: churn.per('create and delete', CHURN),
          },
          160,
        ),
      );
      const left = (await program.client.resource(PODS, 'default').list({ limit: 1 })).items.length;
      if (left > 0) throw new BenchError('pods were left');
    } finally {
      await program.stop();
    }
    return rows;
  },
};
