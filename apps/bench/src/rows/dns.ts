import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { startCoreDns } from '../coredns.ts';
import { BenchError } from '../errors.ts';
import { pass } from '../program.ts';
import { atLeastShare, figure, median } from '../row.ts';
import type { Measurement, Row } from '../row.ts';

const NAMES = 1_000;
/** Questions on their way at once. */
const AT_ONCE = 64;
const ROUND_MS = 1_000;
const ROUNDS = 5;
const PATIENCE_MS = 60_000;
const A = 1;
const IN = 1;

type NameOf = (number: number) => string;
const ofCluster: NameOf = (number) => `s${number}.ns.svc.cluster.local`;
const ofWorld: NameOf = (number) => `n${number}.example.org`;

/** Questions in a second about the cluster's names and about others', beside a bare echo and CoreDNS, by the same client. */
export const dns: Measurement = {
  name: 'dns',
  async run() {
    const started: Worker[] = [];
    const start = async (kind: string, world = 0): Promise<number> => {
      const server = new Worker(new URL('./dns-server.ts', import.meta.url), { workerData: { kind, world } });
      started.push(server);
      return Number((await once(server, 'message'))[0]);
    };
    try {
      const echo = await start('echo');
      const world = await start('world');
      const ours = await start('names', world);
      const core = await startCoreDns(NAMES, world);
      try {
        return await measure({ echo, ours, core: core?.port });
      } finally {
        await core?.stop();
      }
    } finally {
      await Promise.all(started.map((server) => server.terminate()));
    }
  },
};

interface Ports {
  readonly echo: number;
  readonly ours: number;
  /** Undefined: the machine cannot build it. */
  readonly core: number | undefined;
}

async function measure({ echo, ours, core }: Ports): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, nameOf] of [
    ['names of Services', ofCluster],
    ["others' names, kept", ofWorld],
  ] as const) {
    for (const port of [ours, core]) if (port !== undefined) await untilAnswered(port, nameOf);
    const [own, bare, beside] = await inTurn([ours, echo, core], nameOf);
    if (own === undefined || bare === undefined) throw new BenchError('nobody was asked');
    const row = { name: `${what} over UDP (p99 ${own.p99Ms} ms)`, value: own.perSecond, unit: 'per s' };
    const toEcho = { name: `bare UDP echo (p99 ${bare.p99Ms} ms)`, value: bare.perSecond };
    rows.push(atLeastShare({ ...row, reference: toEcho }, 0.4));
    if (beside === undefined) continue;
    rows.push(figure({ ...row, reference: { name: `CoreDNS (p99 ${beside.p99Ms} ms)`, value: beside.perSecond } }));
  }
  return rows;
}

/** Rounds in turn, so that a slow second of the machine falls on all. */
async function inTurn(ports: readonly (number | undefined)[], nameOf: NameOf): Promise<(Pace | undefined)[]> {
  const paces: Pace[][] = ports.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, port] of ports.entries()) if (port !== undefined) paces[at]?.push(await ask(port, nameOf));
  }
  return paces.map((all) => {
    if (all.length === 0) return undefined;
    const perSecond = Math.round(median(all.map((one) => one.perSecond)));
    return { perSecond, p99Ms: Number(median(all.map((one) => one.p99Ms)).toFixed(2)) };
  });
}

interface Pace {
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** Every name has an address: what was to be learnt is known, what is to be kept is kept. */
async function untilAnswered(port: number, nameOf: NameOf): Promise<void> {
  const socket = createSocket('udp4');
  const missing = new Set(Array.from({ length: NAMES }, (_, at) => at));
  socket.on('message', (message) => {
    const isAnswer = (message.readUInt16BE(2) & 0x0f) === 0 && message.readUInt16BE(6) > 0;
    if (isAnswer) missing.delete(message.readUInt16BE(0));
  });
  for (const from = performance.now(); missing.size > 0;) {
    if (performance.now() - from > PATIENCE_MS) throw new BenchError(`${missing.size} names are not answered`);
    for (const id of [...missing].slice(0, AT_ONCE)) socket.send(question(id, nameOf(id)), port, '127.0.0.1');
    await pass(20);
  }
  socket.close();
}

async function ask(port: number, nameOf: NameOf): Promise<Pace> {
  const socket = createSocket('udp4');
  const sentAt = new Float64Array(AT_ONCE);
  const taken: number[] = [];
  let isOver = false;
  let next = 0;
  const send = (id: number): void => {
    sentAt[id] = performance.now();
    socket.send(question(id, nameOf(next++ % NAMES)), port, '127.0.0.1');
  };
  socket.on('message', (message) => {
    const id = message.readUInt16BE(0);
    taken.push(performance.now() - (sentAt[id] ?? 0));
    if (!isOver) send(id);
  });
  const from = performance.now();
  for (let id = 0; id < AT_ONCE; id++) send(id);
  await pass(ROUND_MS);
  isOver = true;
  const seconds = (performance.now() - from) / 1000;
  socket.close();
  if (taken.length < AT_ONCE) throw new BenchError('the name server lost what it was asked');
  const sorted = taken.toSorted((a, b) => a - b);
  return { perSecond: taken.length / seconds, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0 };
}

function question(id: number, name: string): Uint8Array {
  const labels = name.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]);
  return Uint8Array.from([id >> 8, id & 255, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, A, 0, IN]);
}
