import { fsyncSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@binnacle/base/node';
import type { Store } from '../src/index.ts';
import { createMemoryStore } from '../src/index.ts';
import { connectEtcdStore } from '../src/etcd.ts';
import { openSqliteStore } from '../src/sqlite.ts';
import { startEtcd } from '../src/node/etcd-process.ts';

/**
 * Puts per second of each engine with values of a pod's size, one object of JSON per row:
 *
 *     node packages/store/bench/puts.ts [memory] [sqlite] [etcd] [fsync]
 *
 * `mainCpuUs` is the CPU time of this thread per put: what is left of it for an API server in front.
 */
const VALUE_BYTES = 1800;
const WRITERS = 64;
const WARM_MS = 1000;
const RUN_MS = 4000;

interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly [more: string]: unknown;
}

const value = new Uint8Array(VALUE_BYTES).fill(120);
let serial = 0;

/** A create as the API server makes it: only when the key does not exist. */
async function create(store: Store): Promise<void> {
  const key = `/registry/pods/default/pod-${String(serial++).padStart(9, '0')}`;
  await store.txn({
    compare: [{ target: 'modRevision', key, result: 'equal', value: 0 }],
    success: [{ type: 'put', key, value: value.slice() }],
    failure: [{ type: 'range', key }],
  });
}

async function measure(
  store: Store,
  writers: number,
  runMs: number,
): Promise<{ perSecond: number; cpuUs: number; latencyMs: number[] }> {
  const latencyMs: number[] = [];
  const end = performance.now() + runMs;
  const cpu = process.threadCpuUsage();
  const begin = performance.now();
  let puts = 0;
  const write = async (): Promise<void> => {
    while (performance.now() < end) {
      const start = performance.now();
      await create(store);
      latencyMs.push(performance.now() - start);
      puts++;
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  const seconds = (performance.now() - begin) / 1000;
  const used = process.threadCpuUsage(cpu);
  latencyMs.sort((a, b) => a - b);
  return { perSecond: puts / seconds, cpuUs: (used.user + used.system) / puts, latencyMs };
}

function quantile(sorted: readonly number[], q: number): number {
  return Number((sorted[Math.floor((sorted.length - 1) * q)] ?? 0).toFixed(3));
}

async function rowsOf(name: string, store: Store): Promise<Row[]> {
  const rows: Row[] = [];
  for (const writers of [WRITERS, 1]) {
    await measure(store, writers, WARM_MS);
    const { perSecond, cpuUs, latencyMs } = await measure(store, writers, RUN_MS);
    rows.push({
      name: `${name} creates, ${writers} writer${writers === 1 ? '' : 's'}`,
      value: Math.round(perSecond),
      unit: '1/s',
      mainCpuUs: Number(cpuUs.toFixed(1)),
      p50Ms: quantile(latencyMs, 0.5),
      p99Ms: quantile(latencyMs, 0.99),
      maxMs: quantile(latencyMs, 1),
    });
  }
  return rows;
}

/** What the disk takes for one durable append of the same size. */
function fsyncRow(directory: string): Row {
  const file = openSync(join(directory, 'fsync'), 'w');
  const times: number[] = [];
  for (let i = 0; i < 500; i++) {
    const start = performance.now();
    writeSync(file, value);
    fsyncSync(file);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { name: 'append and fsync', value: quantile(times, 0.5), unit: 'ms', p99Ms: quantile(times, 0.99) };
}

async function main(wanted: readonly string[]): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'store-bench-'));
  const print = (rows: readonly Row[]): void => {
    for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
  };
  const wants = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
  try {
    if (wants('fsync')) print([fsyncRow(directory)]);
    if (wants('memory')) {
      const store = createMemoryStore({ clock: realClock });
      print(await rowsOf('memory', store));
      await store.close();
    }
    if (wants('sqlite')) {
      const store = await openSqliteStore({ path: join(directory, 'store.db'), clock: realClock });
      print(await rowsOf('sqlite', store));
      await store.close();
    }
    if (wants('etcd')) {
      const etcd = await startEtcd();
      const store = await connectEtcdStore({ endpoints: [etcd.endpoint], clock: realClock });
      print(await rowsOf('etcd', store));
      await store.close();
      await etcd.stop();
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

await main(process.argv.slice(2));
