import { hostPort, ofFamily } from '@binnacle/base';
import type { Backend, Fate, NodeRules, ServiceRules } from '../rules.ts';
import type { ChainNames } from './chain-names.ts';

/** Chains with their rules, each as it stands after `-A CHAIN`. */
export type Chains = ReadonlyMap<string, readonly string[]>;

/** Where a Service is reached: an address and port, or a node port. */
export interface Door {
  /** What it is told from others by: who is first has it. */
  readonly key: string;
  /** A ClusterIP is nobody else's. */
  readonly rank: 0 | 1;
  readonly isNodePort: boolean;
  /** Conditions of iptables. */
  readonly match: string;
  /** The chain that sends it on. */
  readonly forward?: string;
  /** What becomes of it where nobody sent it on. */
  readonly fate?: 'reject' | 'drop';
  /** The chain, of both tables, that asks who comes. */
  readonly firewall?: string;
}

/** One Service's port in the words of iptables. */
export interface RenderedService {
  readonly id: string;
  readonly nat: Chains;
  readonly filter: Chains;
  readonly doors: readonly Door[];
  readonly clusterIP: string;
  /** Addresses of its backends on this node. */
  readonly localAddresses: ReadonlySet<string>;
}

/** What a Service's chains are made with. */
export interface RenderContext {
  readonly node: NodeRules;
  readonly names: ChainNames;
}

/** One Service's port as chains and doors. */
export function renderService(rules: ServiceRules, { node, names }: RenderContext): RenderedService {
  const { id, protocol, port, backends, external, firewall, clusterIP } = rules;
  const nat = new Map<string, readonly string[]>();
  const filter = new Map<string, readonly string[]>();
  const at = (address: string): Pick<Door, 'key' | 'isNodePort' | 'match'> => ({
    key: `${address} ${protocol} ${port}`,
    isNodePort: false,
    match: `-d ${address} -p ${protocol} -m ${protocol} --dport ${port}`,
  });
  for (const [kind, list] of [
    ['SVC', backends.cluster],
    ['SVL', backends.local],
    ['SVN', backends.near ?? []],
  ] as const) {
    if (list.length === 0) continue;
    // Who comes to the ClusterIP from elsewhere is answered through this node.
    const first = `${at(clusterIP).match} -j ${names.shared('OUTSIDE')}`;
    const rest = rules.affinitySeconds === 0 ? spread(rules, list) : stick(rules, list, { names, nat });
    nat.set(names.ofService(kind, id), [first, ...rest]);
  }
  const doors: Door[] = [{ ...at(clusterIP), rank: 0, ...wayOf(rules.internalFate, id, names) }];
  if (external !== undefined) {
    const chain = names.ofService('EXT', id);
    const isServed = external.insideFate !== 'reject';
    if (isServed) nat.set(chain, externalChain(rules, { node, names }));
    const { fate } = wayOf(external.fate, id, names);
    const outer = {
      rank: 1,
      ...(isServed ? { forward: chain } : {}),
      ...(fate === undefined ? {} : { fate }),
    } as const;
    const wall = names.ofService('FWL', id);
    if (firewall !== undefined) {
      if (isServed)
        nat.set(
          wall,
          firewall.sources.map((source) => `-s ${source} -j ${chain}`),
        );
      filter.set(wall, [...firewall.sources.map((source) => `-s ${source} -j RETURN`), '-j DROP']);
    }
    for (const address of external.addresses) {
      const isWalled = firewall?.addresses.includes(address) === true;
      const walled = isWalled ? { firewall: wall, ...(isServed ? { forward: wall } : {}) } : {};
      doors.push({ ...at(address), ...outer, ...walled });
    }
    if (external.nodePort !== 0)
      doors.push({
        key: `${protocol} ${external.nodePort}`,
        isNodePort: true,
        match: `-p ${protocol} -m ${protocol} --dport ${external.nodePort}`,
        ...outer,
      });
  }
  const local = [...backends.cluster, ...backends.local].filter((backend) => backend.local);
  return { id, nat, filter, doors, clusterIP, localAddresses: new Set(local.map(({ address }) => address)) };
}

function wayOf(fate: Fate, id: string, names: ChainNames): Pick<Door, 'forward' | 'fate'> {
  switch (fate) {
    case 'cluster':
      return { forward: names.ofService('SVC', id) };
    case 'local':
      return { forward: names.ofService('SVL', id) };
    case 'near':
      return { forward: names.ofService('SVN', id) };
    case 'reject':
    case 'drop':
      return { fate };
  }
}

function externalChain({ id, external, family }: ServiceRules, { node, names }: RenderContext): string[] {
  if (external === undefined) return [];
  const jump = (fate: Fate): string[] => {
    const { forward } = wayOf(fate, id, names);
    return forward === undefined ? [] : [`-j ${forward}`];
  };
  const mark = `-j ${names.shared('MARK-MASQ')}`;
  if (!external.keepsSource) return [mark, ...jump(external.fate)];
  const inside = jump(external.insideFate);
  const pods = ofFamily(node.podRanges, family);
  return [
    ...pods.flatMap((range) => inside.map((rule) => `-s ${range} ${rule}`)),
    `-m addrtype --src-type LOCAL ${mark}`,
    ...inside.map((rule) => `-m addrtype --src-type LOCAL ${rule}`),
    ...jump(external.fate),
  ];
}

/** The first of n takes one in n, the next one in n − 1 of what is left, the last the rest. */
function shareOf(at: number, of: number): string {
  const left = of - at;
  return left === 1 ? '' : `-m statistic --mode random --probability ${(1 / left).toFixed(10)} `;
}

function destination({ address, port }: Backend): string {
  return `-j DNAT --to-destination ${hostPort(address, port)}`;
}

function spread({ protocol }: ServiceRules, list: readonly Backend[]): string[] {
  return list.map((one, at) => `-p ${protocol} ${shareOf(at, list.length)}${destination(one)}`);
}

/** Whoever came lately goes where they went; others are spread, and remembered there. */
function stick(
  { id, protocol, affinitySeconds }: ServiceRules,
  list: readonly Backend[],
  { names, nat }: { readonly names: ChainNames; readonly nat: Map<string, readonly string[]> },
): string[] {
  const ends = list.map((one) => {
    const chain = names.ofService('SEP', `${id}/${one.address}/${one.port}`);
    nat.set(chain, [`-p ${protocol} -m recent --name ${chain} --set --rsource ${destination(one)}`]);
    return chain;
  });
  return [
    ...ends.map(
      (chain) => `-m recent --name ${chain} --rcheck --seconds ${affinitySeconds} --reap --rsource -j ${chain}`,
    ),
    ...ends.map((chain, at) => `${shareOf(at, ends.length)}-j ${chain}`),
  ];
}
