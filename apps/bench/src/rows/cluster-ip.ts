import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { silentLogger } from '@binnacle/base';
import { NftablesNetwork, toolRunner } from '@binnacle/network/nftables';
import { endChild, firstLine } from '../program.ts';
import { figure } from '../row.ts';
import type { Measurement, Row } from '../row.ts';
import { NODE, serviceRules } from './services.ts';

const SERVICES = 10_000;
const ROUNDS = 10;
const ROUND_MS = 1_000;
const NODE_NS = `bench-${process.pid}n`;
const PODS = [2, 3] as const;
const [CLIENT, SERVER] = PODS.map((number) => ({
  ns: `bench-${process.pid}p${number}`,
  address: `10.244.0.${number}`,
}));
const CLUSTER_IP = '10.96.200.1';

/** One port answers a byte, the other reads what it is sent. */
const SERVING = `
  const { createServer } = require('node:net');
  const one = createServer({ noDelay: true }, (s) => s.on('error', () => {}).write('x'));
  const all = createServer((s) => s.on('error', () => {}).resume());
  one.listen(8080, () => all.listen(8081, () => console.log('ready')));
`;
/** A client resets what it has opened, so that no port waits. */
const OPENING = `
  const [, host, port, ms] = process.argv;
  const { connect } = require('node:net');
  let count = 0, over = false;
  const one = () => {
    const s = connect(Number(port), host, () => {});
    s.once('data', () => { count++; s.resetAndDestroy(); if (!over) one(); });
    s.once('error', (error) => { console.error(error.message); process.exit(1); });
  };
  for (let at = 0; at < 32; at++) one();
  setTimeout(() => { over = true; console.log(count); process.exit(); }, Number(ms));
`;
const SENDING = `
  const [, host, port, ms] = process.argv;
  const chunk = Buffer.alloc(262144);
  const s = require('node:net').connect(Number(port), host, () => {
    const more = () => { while (s.write(chunk)); };
    s.on('drain', more); more();
    setTimeout(() => { console.log(s.bytesWritten - s.writableLength); process.exit(); }, Number(ms));
  });
`;

const ip = (...args: readonly string[]): string => execFileSync('ip', args, { encoding: 'utf8' });

/** What a Service costs its clients: new connections and bytes from pod to pod, by a ClusterIP beside the pod's own address. */
export const clusterIp: Measurement = {
  name: 'cluster-ip',
  async run() {
    makeNode();
    try {
      return await measure();
    } finally {
      for (const ns of [CLIENT, SERVER].flatMap((one) => one?.ns ?? [])) ip('netns', 'del', ns);
      ip('netns', 'del', NODE_NS);
    }
  },
};

function makeNode(): void {
  ip('netns', 'add', NODE_NS);
  const node = ['-n', NODE_NS];
  ip(...node, 'link', 'add', 'br0', 'type', 'bridge');
  ip(...node, 'addr', 'add', '10.244.0.1/24', 'dev', 'br0');
  ip(...node, 'link', 'set', 'br0', 'up');
  ip('netns', 'exec', NODE_NS, 'sysctl', '-qw', 'net.ipv4.ip_forward=1');
  for (const [at, pod] of [CLIENT, SERVER].entries()) {
    if (pod === undefined) continue;
    ip('netns', 'add', pod.ns);
    ip('link', 'add', 'eth0', 'netns', pod.ns, 'type', 'veth', 'peer', 'name', `v${at}`, 'netns', NODE_NS);
    ip(...node, 'link', 'set', `v${at}`, 'master', 'br0', 'up');
    ip('-n', pod.ns, 'addr', 'add', `${pod.address}/24`, 'dev', 'eth0');
    for (const link of ['lo', 'eth0']) ip('-n', pod.ns, 'link', 'set', link, 'up');
    ip('-n', pod.ns, 'route', 'add', 'default', 'via', '10.244.0.1');
  }
}

async function measure(): Promise<Row[]> {
  const run = toolRunner(['ip', 'netns', 'exec', NODE_NS]);
  const network = new NftablesNetwork({ table: 'binnacle', families: ['IPv4'], run, log: silentLogger });
  const all = Array.from({ length: SERVICES }, (_, at) => serviceRules(at + 1, 10));
  for (const port of [8080, 8081]) {
    const cluster = [{ address: SERVER?.address ?? '', port, local: true }];
    const asked = { id: `ns/asked/${port}`, port, clusterIP: CLUSTER_IP, backends: { cluster, local: [] } };
    all.push({ ...serviceRules(1, 1), ...asked });
  }
  await network.replace(NODE, new Map(all.map((rules) => [rules.id, rules])));
  const server = spawn('ip', inside(SERVER?.ns, SERVING), { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await firstLine(server, 'the server');
    const opened = await inTurn((host) => ask(OPENING, host, 8080));
    const sent = await inTurn((host) => ask(SENDING, host, 8081));
    const name = (value: number) => ({ name: "the pod's own address", value });
    const gigabits = (bytes: number): number => Number(((bytes * 8) / 1e9).toFixed(2));
    const beside = `beside ${SERVICES} × 10 others`;
    return [
      figure({
        name: `new connections through a ClusterIP ${beside}`,
        value: Math.round(opened.service),
        unit: 'per s',
        reference: name(Math.round(opened.pod)),
      }),
      figure({
        name: `throughput through a ClusterIP ${beside}`,
        value: gigabits(sent.service),
        unit: 'Gbit/s',
        reference: name(gigabits(sent.pod)),
      }),
    ];
  } finally {
    await endChild(server, 'SIGKILL');
  }
}

const inside = (ns: string | undefined, program: string, ...args: readonly string[]): string[] => {
  return ['netns', 'exec', ns ?? '', process.execPath, '-e', program, ...args];
};

/** Per second by the Service and by the pod's address, the best of rounds in turn: what others on the machine leave. */
async function inTurn(
  work: (host: string) => Promise<number>,
): Promise<{ readonly service: number; readonly pod: number }> {
  const [service, pod]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    // Who begins is not always the same.
    const first = round % 2 === 0;
    if (first) service.push(await work(CLUSTER_IP));
    pod.push(await work(SERVER?.address ?? ''));
    if (!first) service.push(await work(CLUSTER_IP));
  }
  const perSecond = (counts: readonly number[]): number => (Math.max(...counts) * 1000) / ROUND_MS;
  return { service: perSecond(service), pod: perSecond(pod) };
}

async function ask(program: string, host: string, port: number): Promise<number> {
  const child = spawn('ip', inside(CLIENT?.ns, program, host, `${port}`, `${ROUND_MS}`), {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const line = await firstLine(child, 'the client');
  await ended;
  return Number(line);
}
