import { createHash } from 'node:crypto';
import { ofFamily } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { NetworkError } from '../errors.ts';
import { ChainNames } from '../iptables/chain-names.ts';
import { ChainTables } from '../iptables/chain-tables.ts';
import type { Table } from '../iptables/render-node.ts';
import { doorsOfSets } from '../machine/neighbour-doors.ts';
import { linesText } from '../machine/run-tool.ts';
import type { RunTool } from '../machine/run-tool.ts';
import type { Family, NodeRules, ServiceNetwork, ServiceRules } from '../rules.ts';
import { NO_IPVS, readVirtuals, SET_NAMES, virtualLines } from './ipvs-state.ts';
import type { IpvsState, SetName, VirtualServer } from './ipvs-state.ts';
import { renderIpvs, setName, virtualKey } from './render-ipvs.ts';

/** What the driver works with. */
export interface IpvsOptions {
  /** All our chains and sets begin with it: nobody else's on this machine; at most nine capital letters and digits. */
  readonly prefix: string;
  readonly families: readonly Family[];
  readonly run: RunTool;
  readonly log: Logger;
  /** Of iptables. Absent: as the machine's is set up. */
  readonly variant?: 'nft' | 'legacy';
}

/** Who made a route, as `ip route` tells it: none of the numbers that are somebody's. */
const PROTOCOL = 97;
/** From here on: behind those of the machine itself, which keep theirs. */
const METRIC_FIRST = 1_000_000;
const MEMBERS_MAX = 1_048_576;
/** Each address of a Service's port has all its endpoints of its own here: thousands of both would be millions. */
const SERVERS_MAX = 100_000;
/** Connections are followed, so that they can be masqueraded; those whose server went do not wait for it. */
const SETTINGS = ['conntrack', 'expire_nodest_conn', 'expire_quiescent_template'].map(
  (name) => `net.ipv4.vs.${name}=1`,
);

/**
 * Services by IPVS, with sets and chains beside it. What is new is there before what is old goes; a change that the machine
 * does not take leaves what was, and is followed by making all anew.
 */
export class IpvsNetwork implements ServiceNetwork {
  readonly #families: readonly Family[];
  readonly #run: RunTool;
  readonly #names: ChainNames;
  readonly #tables: ChainTables;
  /** Tells our routes from those of another cluster on this machine. */
  readonly #metric: number;
  readonly #log: Logger;
  #node: NodeRules | undefined;
  /** Virtual servers of other clusters on this machine, and their sets. */
  #foreign = new Map<Family, ReadonlyMap<string, string>>();
  #states = new Map<Family, IpvsState>();
  #services = new Map<string, ServiceRules>();

  constructor({ prefix, families, run, log, variant }: IpvsOptions) {
    this.#families = families;
    this.#run = run;
    this.#log = log;
    this.#names = new ChainNames(prefix);
    this.#metric = METRIC_FIRST + createHash('sha256').update(prefix).digest().readUIntBE(0, 3);
    this.#tables = new ChainTables({ names: this.#names, run, ...(variant === undefined ? {} : { variant }) });
  }

  async replace(node: NodeRules, services: ReadonlyMap<string, ServiceRules>): Promise<void> {
    for (const rules of services.values()) checkServers(rules);
    await this.#run(['sysctl', '-w', ...SETTINGS]);
    for (const family of this.#families) {
      this.#foreign.set(family, await this.#readForeign(family));
      const wanted = await this.#render(family, node, services);
      const there = await this.#read(family, wanted);
      await this.#makeSets(family);
      await this.#go(family, { from: there, to: wanted }, () => this.#tables.replace(family, wanted.chains));
      this.#states.set(family, wanted);
    }
    this.#node = node;
    this.#services = new Map(services);
  }

  async change(changes: ReadonlyMap<string, ServiceRules | undefined>): Promise<void> {
    const node = this.#node;
    if (node === undefined) return;
    const services = new Map(this.#services);
    for (const [id, rules] of changes) {
      if (rules === undefined) services.delete(id);
      else services.set(id, checkServers(rules));
    }
    for (const family of this.#families) {
      const from = this.#states.get(family) ?? NO_IPVS;
      const to = await this.#render(family, node, services);
      const between = (table: Table) => ({ before: from.chains[table], after: to.chains[table] });
      const chains = { nat: between('nat'), filter: between('filter'), security: between('security') };
      await this.#go(family, { from, to }, () => this.#tables.change(family, chains));
      this.#states.set(family, to);
    }
    this.#services = services;
  }

  /** Chains of that name without our sets are those of the iptables driver, and stay. */
  async remove(): Promise<void> {
    for (const family of this.#families) {
      const sets = await this.#setsOf(family);
      if (sets.length === 0) continue;
      const there = await this.#read(family, NO_IPVS);
      await this.#tables.remove(family);
      await this.#go(family, { from: there, to: NO_IPVS }, () => Promise.resolve());
      for (const set of sets) await this.#run(['ipset', 'destroy', this.#setName(family, set)]);
    }
    this.#states = new Map();
    this.#services = new Map();
  }

  async isThere(): Promise<boolean> {
    for (const [family, { virtuals }] of this.#states) {
      if (!(await this.#tables.isThere(family))) return false;
      const there = readVirtuals(await this.#run(['ipvsadm', '--save', '-n']));
      for (const key of virtuals.keys()) if (!there.has(key)) return false;
    }
    return true;
  }

  async #render(family: Family, node: NodeRules, services: ReadonlyMap<string, ServiceRules>): Promise<IpvsState> {
    const mine = [...services.values()].filter((rules) => rules.family === family);
    const own = node.nodePortAddresses;
    const nodeAddresses = own === undefined ? await this.#ownAddresses(family) : ofFamily(own, family);
    return this.#beside(family, renderIpvs({ family, node, names: this.#names, nodeAddresses }, mine));
  }

  /**
   * The machine has one list of virtual servers: what another cluster has there is left to it. Throws NetworkError where it
   * is a ClusterIP, so that pods do not meet another cluster's API server in place of their own.
   */
  #beside(family: Family, wanted: IpvsState): IpvsState {
    const foreign = this.#foreign.get(family) ?? new Map<string, string>();
    const clashes = [...wanted.virtuals.keys()].filter((key) => foreign.has(key));
    for (const key of clashes) {
      const theirs = `${key.split(' ')[1]} is served for another cluster on this machine (${foreign.get(key)})`;
      if (wanted.sets.CLUSTER.has(memberOf(key)))
        throw new NetworkError(`${theirs}: by IPVS each needs a range of its own (--service-cluster-ip-range)`);
      this.#log.warn(theirs);
    }
    return clashes.length === 0 ? wanted : withoutVirtuals(wanted, clashes);
  }

  async #readForeign(family: Family): Promise<ReadonlyMap<string, string>> {
    const told = doorsOfSets(await this.#run(['ipset', 'save']), family);
    return new Map(
      told.flatMap(({ owner, rules, protocol, address = '', port }) =>
        this.#names.shared('') === `${owner}-` ? [] : [[virtualKey(protocol, address, port), rules] as const],
      ),
    );
  }

  /** From one state to another; `chains` writes those of iptables in between. */
  async #go(
    family: Family,
    { from, to }: { readonly from: IpvsState; readonly to: IpvsState },
    chains: () => Promise<void>,
  ): Promise<void> {
    const ip = ['ip', family === 'IPv6' ? '-6' : '-4', '-batch', '-'];
    const members = this.#memberLines(family, from.sets, to.sets);
    const virtuals = virtualLines(from.virtuals, to.virtuals);
    await this.#feed(['ipset', 'restore', '-exist'], members.added);
    await this.#feed(ip, this.#localLines('replace', minus(to.locals, from.locals)));
    await this.#feed(['ipvsadm', '--restore'], virtuals.added);
    await chains();
    await this.#feed(['ipvsadm', '--restore'], virtuals.removed);
    await this.#feed(ip, this.#localLines('del', minus(from.locals, to.locals)));
    await this.#feed(['ipset', 'restore', '-exist'], members.removed);
  }

  #memberLines(family: Family, from: IpvsState['sets'], to: IpvsState['sets']) {
    const lines = (verb: string, a: IpvsState['sets'], b: IpvsState['sets']): string[] =>
      SET_NAMES.flatMap((set) => minus(a[set], b[set]).map((one) => `${verb} ${this.#setName(family, set)} ${one}`));
    return { added: lines('add', to, from), removed: lines('del', from, to) };
  }

  async #makeSets(family: Family): Promise<void> {
    const inet = family === 'IPv6' ? 'inet6' : 'inet';
    await this.#feed(
      ['ipset', 'restore', '-exist'],
      SET_NAMES.map((set) => {
        const type = set === 'ADDRESSES' ? 'hash:ip' : 'hash:ip,port';
        return `create ${this.#setName(family, set)} ${type} family ${inet} maxelem ${MEMBERS_MAX}`;
      }),
    );
  }

  /** What is there of ours: what our own sets tell of, and what is wanted and in nobody's. */
  async #read(family: Family, wanted: IpvsState): Promise<IpvsState> {
    const sets: Record<SetName, Set<string>> = { ...NO_IPVS.sets } as Record<SetName, Set<string>>;
    for (const set of SET_NAMES) sets[set] = await this.#membersOf(family, set);
    const all = readVirtuals(await this.#run(['ipvsadm', '--save', '-n']));
    const virtuals = new Map<string, VirtualServer>();
    for (const [key, server] of all)
      if (sets.DOORS.has(memberOf(key)) || wanted.virtuals.has(key)) virtuals.set(key, server);
    const flag = family === 'IPv6' ? '-6' : '-4';
    const said = await this.#run(['ip', '-j', flag, 'route', 'show', 'table', 'local', 'proto', `${PROTOCOL}`]);
    const bits = family === 'IPv6' ? 128 : 32;
    const routes = JSON.parse(said || '[]') as readonly { readonly dst?: string; readonly metric?: number }[];
    const own = routes.filter(({ metric }) => metric === this.#metric);
    const locals = own.map(({ dst = '' }) => (dst.includes('/') ? dst : `${dst}/${bits}`));
    return { ...NO_IPVS, sets, virtuals, locals: new Set(locals) };
  }

  async #membersOf(family: Family, set: SetName): Promise<Set<string>> {
    if (!(await this.#hasSet(family, set))) return new Set();
    const name = this.#setName(family, set);
    const said = await this.#run(['ipset', 'save', name]);
    return new Set(
      said.split('\n').flatMap((line) => (line.startsWith(`add ${name} `) ? [line.split(' ')[2] ?? ''] : [])),
    );
  }

  async #setsOf(family: Family): Promise<readonly SetName[]> {
    const there: SetName[] = [];
    for (const set of SET_NAMES) if (await this.#hasSet(family, set)) there.push(set);
    return there;
  }

  async #hasSet(family: Family, set: SetName): Promise<boolean> {
    try {
      await this.#run(['ipset', 'list', '-terse', this.#setName(family, set)]);
      return true;
    } catch (error) {
      if (error instanceof NetworkError && error.message.includes('does not exist')) return false;
      throw error;
    }
  }

  async #ownAddresses(family: Family): Promise<string[]> {
    const said = await this.#run(['ip', '-j', family === 'IPv6' ? '-6' : '-4', 'addr', 'show', 'scope', 'global']);
    const links = JSON.parse(said || '[]') as readonly {
      readonly addr_info?: readonly { readonly local?: string }[];
    }[];
    return links.flatMap(({ addr_info: all = [] }) => all.flatMap(({ local }) => local ?? []));
  }

  #localLines(verb: string, ranges: readonly string[]): string[] {
    const made = `dev lo proto ${PROTOCOL} metric ${this.#metric} table local`;
    return ranges.map((range) => `route ${verb} local ${range} ${made}`);
  }

  #setName(family: Family, set: SetName): string {
    return setName(this.#names, set, { family });
  }

  async #feed(command: readonly string[], lines: readonly string[]): Promise<void> {
    if (lines.length > 0) await this.#run(command, linesText(lines));
  }
}

function minus(a: ReadonlySet<string>, b: ReadonlySet<string>): string[] {
  return [...a].filter((one) => !b.has(one));
}

/** The very rules. Throws NetworkError where they ask for more than the machine is to have of one Service. */
function checkServers(rules: ServiceRules): ServiceRules {
  const { id, external, backends } = rules;
  const endpoints = Math.max(backends.cluster.length, backends.local.length, backends.near?.length ?? 0);
  const addresses = 1 + (external?.addresses.length ?? 0);
  if (addresses * endpoints > SERVERS_MAX)
    throw new NetworkError(`${id}: ${addresses} addresses of ${endpoints} endpoints each are too many by IPVS`);
  return rules;
}

function withoutVirtuals({ virtuals, sets, ...rest }: IpvsState, keys: readonly string[]): IpvsState {
  const members = new Set(keys.map(memberOf));
  const left = (set: SetName): Set<string> => new Set([...sets[set]].filter((one) => !members.has(one)));
  return {
    ...rest,
    virtuals: new Map([...virtuals].filter(([key]) => !keys.includes(key))),
    sets: { ...sets, DOORS: left('DOORS'), MASQUERADED: left('MASQUERADED') },
  };
}

/** `-t [fd03::7]:80` as a set has it: `fd03::7,tcp:80`. */
function memberOf(virtual: string): string {
  const [flag, socket = ''] = virtual.split(' ');
  const protocol = flag === '-t' ? 'tcp' : flag === '-u' ? 'udp' : 'sctp';
  const at = socket.lastIndexOf(':');
  return `${socket.slice(0, at).replace(/^\[|\]$/g, '')},${protocol}:${socket.slice(at + 1)}`;
}
