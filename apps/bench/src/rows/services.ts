import { silentLogger } from '@binnacle/base';
import type { NodeRules, ServiceRules } from '@binnacle/network';
import { NftablesNetwork } from '@binnacle/network/nftables';
import { besideNft, kernelMemory, timed, withHeardNft } from '../beside-nft.ts';
import type { HeardNft, Turn } from '../beside-nft.ts';
import { figure } from '../row.ts';
import type { Measurement } from '../row.ts';

const SERVICES = 10_000;
const ENDPOINTS = 10;
const ROUNDS = 5;
const CHANGES = 30;
/** The node whose rules are made. */
export const NODE: NodeRules = {
  podRanges: ['10.244.0.0/16'],
  serviceRanges: ['10.96.0.0/12'],
  masqueradeAll: false,
  masqueradeBit: 14,
};

const address = (first: number, number: number): string =>
  `10.${first + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;

/** A Service with so many endpoints. */
export function serviceRules(number: number, endpoints: number): ServiceRules {
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
export const services: Measurement = { name: 'services', run: () => withHeardNft(measure) };

async function measure({ run, session, taken, raw }: HeardNft) {
  const network = new NftablesNetwork({ table: 'binnacle', families: ['IPv4'], run, log: silentLogger, session });
  const all = Array.from({ length: SERVICES }, (_, at) => serviceRules(at + 1, ENDPOINTS));
  const byId = new Map(all.map((rules) => [rules.id, rules]));
  const memory = await kernelMemory(() => network.replace(NODE, byId));
  taken();
  const full: Turn = { ours: [], bare: [] };
  for (let round = 0; round < ROUNDS; round++) {
    full.ours.push(await timed(() => network.replace(NODE, byId)));
    const batches = taken();
    full.bare.push(await timed(() => raw(batches)));
  }
  const change: Turn = { ours: [], bare: [] };
  for (let round = 0; round < CHANGES; round++) {
    // An endpoint goes and comes back, then once more by the bytes that this took.
    const batches: (readonly string[])[] = [];
    for (const endpoints of [ENDPOINTS - 1, ENDPOINTS]) {
      const rules = serviceRules(1 + ((round * 331) % SERVICES), endpoints);
      change.ours.push(await timed(() => network.change(new Map([[rules.id, rules]]))));
      batches.push(taken());
    }
    for (const one of batches) change.bare.push(await timed(() => raw(one)));
  }
  await network.remove();
  return [
    besideNft(`${SERVICES} Services × ${ENDPOINTS}, all rules`, full, 1500),
    besideNft('one Service changed', change, 15),
    figure({ name: 'memory of those rules in the kernel', value: Math.round(memory), unit: 'MB', reference: null }),
  ];
}
