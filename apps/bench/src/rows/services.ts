import { execFileSync } from 'node:child_process';
import { silentLogger } from '@binnacle/base';
import type { NodeRules, ServiceRules } from '@binnacle/network';
import { NftablesNetwork, toolRunner } from '@binnacle/network/nftables';
import { atMost, median } from '../row.ts';
import type { Measurement } from '../row.ts';

const SERVICES = 10_000;
const ENDPOINTS = 10;
const ROUNDS = 5;
const CHANGES = 50;
const NODE: NodeRules = {
  podRanges: ['10.244.0.0/16'],
  serviceRanges: ['10.96.0.0/12'],
  masqueradeAll: false,
  masqueradeBit: 14,
};

const address = (first: number, number: number): string =>
  `10.${first + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;

function serviceRules(number: number, endpoints: number): ServiceRules {
  const cluster = Array.from({ length: endpoints }, (_, at) => ({
    address: address(200, number * ENDPOINTS + at),
    port: 8080,
    local: at === 0,
  }));
  return {
    id: `ns/s${number}/http/tcp/IPv4`,
    family: 'IPv4',
    protocol: 'tcp',
    port: 80,
    clusterIP: address(96, number),
    internalFate: 'cluster',
    backends: { cluster, local: [] },
    affinitySeconds: 0,
  };
}

/** The rules of a node in a namespace of its own, with what `nft` takes for the same bytes. */
export const services: Measurement = {
  name: 'services',
  async run() {
    const namespace = `bench-${process.pid}`;
    execFileSync('ip', ['netns', 'add', namespace]);
    try {
      return await measure(namespace);
    } finally {
      execFileSync('ip', ['netns', 'del', namespace]);
    }
  },
};

async function measure(namespace: string) {
  const tool = toolRunner(['ip', 'netns', 'exec', namespace]);
  let batch = '';
  const run: typeof tool = (command, input) => {
    batch = input ?? '';
    return tool(command, input);
  };
  const network = new NftablesNetwork({ table: 'binnacle', families: ['IPv4'], run, log: silentLogger });
  const all = Array.from({ length: SERVICES }, (_, at) => serviceRules(at + 1, ENDPOINTS));
  const byId = new Map(all.map((rules) => [rules.id, rules]));
  const full = await rounds(ROUNDS, () => network.replace(NODE, byId));
  const whole = batch;
  const bareFull = await rounds(ROUNDS, () => tool(['nft', '-f', '-'], whole));
  await network.replace(NODE, byId);
  const bareChanges: number[] = [];
  const changes = await rounds(CHANGES, async (at) => {
    const rules = serviceRules(1 + ((at * 331) % SERVICES), ENDPOINTS - 1);
    await network.change(new Map([[rules.id, rules]]));
  });
  // Adding what is there changes nothing, and costs what a change costs.
  const add = batch
    .split('\n')
    .filter((line) => line.startsWith('add '))
    .join('\n');
  bareChanges.push(...(await rounds(CHANGES, () => tool(['nft', '-f', '-'], `${add}\n`))));
  await network.remove();
  return [
    row(`${SERVICES} Services × ${ENDPOINTS}, all rules`, [full, bareFull], 1500),
    row('one Service changed', [changes, bareChanges], 15),
  ];
}

async function rounds(count: number, work: (at: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let at = 0; at < count; at++) {
    const from = performance.now();
    await work(at);
    taken.push(performance.now() - from);
  }
  return taken;
}

function row(name: string, [ours, bare]: readonly [number[], number[]], limit: number) {
  const [value, reference] = [ours, bare].map((taken) => Number(median(taken).toFixed(1)));
  const measured = { name, value: value ?? 0, unit: 'ms' };
  return atMost({ ...measured, reference: { name: 'nft, the same bytes', value: reference ?? 0 } }, limit);
}
