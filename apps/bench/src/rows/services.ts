import { execFileSync } from 'node:child_process';
import { silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import type { NodeRules, ServiceRules } from '@binnacle/network';
import { NftablesNetwork, NftSession, toolRunner } from '@binnacle/network/nftables';
import { atMost, median } from '../row.ts';
import type { Measurement } from '../row.ts';

const SERVICES = 10_000;
const ENDPOINTS = 10;
const ROUNDS = 5;
const CHANGES = 30;
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
  const prefix = ['nsenter', `--net=/run/netns/${namespace}`];
  const tool = toolRunner(prefix);
  let batch = '';
  const run: typeof tool = (command, input) => {
    batch = input ?? '';
    return tool(command, input);
  };
  const raw = (bytes: string) => tool(['nft', '-f', '-'], bytes);
  class HeardSession extends NftSession {
    override apply(lines: readonly string[]): Promise<boolean> {
      batch = `${lines.join('\n')}\n`;
      return super.apply(lines);
    }
  }
  const session = new HeardSession({ clock: realClock, log: silentLogger, prefix });
  const network = new NftablesNetwork({ table: 'binnacle', families: ['IPv4'], run, log: silentLogger, session });
  const all = Array.from({ length: SERVICES }, (_, at) => serviceRules(at + 1, ENDPOINTS));
  const byId = new Map(all.map((rules) => [rules.id, rules]));
  const full: Turn = { ours: [], bare: [] };
  for (let round = 0; round < ROUNDS; round++) {
    full.ours.push(await timed(() => network.replace(NODE, byId)));
    full.bare.push(await timed(() => raw(batch)));
  }
  const change: Turn = { ours: [], bare: [] };
  for (let round = 0; round < CHANGES; round++) {
    // An endpoint goes and comes back, then once more by the bytes that this took.
    const bytes: string[] = [];
    for (const endpoints of [ENDPOINTS - 1, ENDPOINTS]) {
      const rules = serviceRules(1 + ((round * 331) % SERVICES), endpoints);
      change.ours.push(await timed(() => network.change(new Map([[rules.id, rules]]))));
      bytes.push(batch);
    }
    for (const text of bytes) change.bare.push(await timed(() => raw(text)));
  }
  await network.remove();
  await session.close();
  return [row(`${SERVICES} Services × ${ENDPOINTS}, all rules`, full, 1500), row('one Service changed', change, 15)];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** Milliseconds that we take, and `nft` alone. */
interface Turn {
  readonly ours: number[];
  readonly bare: number[];
}

function row(name: string, { ours, bare }: Turn, limit: number) {
  const [value, reference] = [ours, bare].map((taken) => Number(median(taken).toFixed(1)));
  const measured = { name, value: value ?? 0, unit: 'ms' };
  return atMost({ ...measured, reference: { name: 'nft, the same bytes', value: reference ?? 0 } }, limit);
}
