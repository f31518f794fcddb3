import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { BenchError } from '../errors.ts';
import { atLeastShare, median } from '../row.ts';
import type { Measurement, Row } from '../row.ts';

const NAMES = 1_000;
/** Questions on their way at once. */
const AT_ONCE = 64;
const ROUND_MS = 1_000;
const ROUNDS = 5;
const A = 1;
const IN = 1;

/** Questions about the cluster's names in a second, beside what a bare echo answers to the same client. */
export const dns: Measurement = {
  name: 'dns',
  async run() {
    const servers = ['names', 'echo'].map((kind) => {
      return new Worker(new URL('./dns-server.ts', import.meta.url), { workerData: kind });
    });
    try {
      const ports = await Promise.all(servers.map(async (server) => Number((await once(server, 'message'))[0])));
      return await measure(ports);
    } finally {
      await Promise.all(servers.map((server) => server.terminate()));
    }
  },
};

async function measure(ports: readonly number[]): Promise<Row[]> {
  const rates: number[][] = [[], []];
  const waits: number[][] = [[], []];
  // In turn, so that a slow second of the machine falls on both.
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, port] of ports.entries()) {
      const { perSecond, p99Ms } = await ask(port);
      rates[at]?.push(perSecond);
      waits[at]?.push(p99Ms);
    }
  }
  const [rate = 0, bareRate = 0] = rates.map((all) => Math.round(median(all)));
  const [wait = 0, bareWait = 0] = waits.map((all) => Number(median(all).toFixed(2)));
  const reference = { name: `bare UDP echo (p99 ${bareWait} ms)`, value: bareRate };
  return [
    atLeastShare({ name: `names of Services over UDP (p99 ${wait} ms)`, value: rate, unit: 'per s', reference }, 0.4),
  ];
}

async function ask(port: number): Promise<{ readonly perSecond: number; readonly p99Ms: number }> {
  const socket = createSocket('udp4');
  const sentAt = new Float64Array(AT_ONCE);
  const taken: number[] = [];
  let isOver = false;
  let next = 0;
  const send = (id: number): void => {
    sentAt[id] = performance.now();
    socket.send(question(id, `s${next++ % NAMES}`), port, '127.0.0.1');
  };
  socket.on('message', (message) => {
    const id = message.readUInt16BE(0);
    taken.push(performance.now() - (sentAt[id] ?? 0));
    if (!isOver) send(id);
  });
  const from = performance.now();
  for (let id = 0; id < AT_ONCE; id++) send(id);
  await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
  isOver = true;
  const seconds = (performance.now() - from) / 1000;
  socket.close();
  if (taken.length < AT_ONCE) throw new BenchError('the name server lost what it was asked');
  const sorted = taken.toSorted((a, b) => a - b);
  return { perSecond: taken.length / seconds, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0 };
}

function question(id: number, name: string): Uint8Array {
  const labels = [name, 'ns', 'svc', 'cluster', 'local'].flatMap((label) => [label.length, ...Buffer.from(label)]);
  return Uint8Array.from([id >> 8, id & 255, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, A, 0, IN]);
}
