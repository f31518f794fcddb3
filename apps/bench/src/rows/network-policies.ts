import type { Namespace, Pod } from '@binnacle/api/core/v1';
import type { NetworkPolicy } from '@binnacle/api/networking/v1';
import { silentLogger } from '@binnacle/base';
import { NftablesPolicies } from '@binnacle/network/nftables';
import { PolicyTable } from '@binnacle/proxy';
import { besideNft, timed, withHeardNft } from '../beside-nft.ts';
import type { HeardNft, Turn } from '../beside-nft.ts';
import type { Measurement } from '../row.ts';

const NAMESPACES = 20;
const PODS = 1_000;
const POLICIES = 1_000;
const ROUNDS = 5;
const CHANGES = 30;
const APPS = 10;

const spaceOf = (number: number): string => `ns${number % NAMESPACES}`;

/** All on one node, which is the most that a node can have to do. */
function pod(number: number, app: number): Pod {
  return {
    metadata: { name: `p${number}`, namespace: spaceOf(number), uid: `u${number}`, labels: { app: `a${app}` } },
    spec: { nodeName: 'here', containers: [{ name: 'c', image: 'i', ports: [{ name: 'web', containerPort: 8080 }] }] },
    status: { phase: 'Running', podIPs: [{ ip: `10.244.${number >> 8}.${number & 255}` }] },
  } as unknown as Pod;
}

/** One app of a namespace is reached by another of the next namespace, and reaches a block of addresses. */
function policy(number: number): NetworkPolicy {
  const app = Math.floor(number / NAMESPACES) % APPS;
  return {
    metadata: { name: `np${number}`, namespace: spaceOf(number) },
    spec: {
      podSelector: { matchLabels: { app: `a${app}` } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        {
          from: [
            {
              namespaceSelector: { matchLabels: { ns: spaceOf(number + 1) } },
              podSelector: { matchLabels: { app: `a${(app + 1) % APPS}` } },
            },
          ],
          ports: [{ port: 'web', protocol: 'TCP' }],
        },
      ],
      egress: [{ to: [{ ipBlock: { cidr: `172.16.${number & 255}.0/24` } }] }],
    },
  };
}

function tableOfAll(): PolicyTable {
  const table = new PolicyTable('here');
  for (let at = 0; at < NAMESPACES; at++) {
    const ns = spaceOf(at);
    table.setNamespace({ metadata: { name: ns, labels: { ns } } } as unknown as Namespace);
  }
  for (let at = 0; at < POLICIES; at++) table.setPolicy(policy(at));
  for (let at = 0; at < PODS; at++) table.setPod(pod(at, Math.floor(at / NAMESPACES) % APPS));
  return table;
}

/** Policies of a node, from the objects to the kernel, beside `nft` with the same bytes. */
export const networkPolicies: Measurement = { name: 'network-policies', run: () => withHeardNft(measure) };

async function measure({ run, session, taken, raw }: HeardNft) {
  const network = new NftablesPolicies({ table: 'binnacle-policies', run, log: silentLogger, session });
  const full: Turn = { ours: [], bare: [] };
  let table = tableOfAll();
  for (let round = 0; round < ROUNDS; round++) {
    full.ours.push(
      await timed(async () => {
        table = tableOfAll();
        await network.replace(table.all());
      }),
    );
    const batches = taken();
    full.bare.push(await timed(() => raw(batches)));
  }
  const change: Turn = { ours: [], bare: [] };
  for (let round = 0; round < CHANGES; round++) {
    const number = (round * 37) % PODS;
    const own = Math.floor(number / NAMESPACES) % APPS;
    const batches: (readonly string[])[] = [];
    // A pod becomes one of another app, and is again what it was.
    for (const app of [(own + 7) % APPS, own]) {
      change.ours.push(
        await timed(() => {
          table.setPod(pod(number, app));
          return network.change(table.changes());
        }),
      );
      batches.push(taken());
    }
    for (const one of batches) change.bare.push(await timed(() => raw(one)));
  }
  await network.remove();
  return [
    besideNft(`${POLICIES} NetworkPolicies × ${PODS} pods, all rules`, full),
    besideNft('one pod of them changed', change),
  ];
}
