import type { NodeRules, ServiceRules } from '../rules.ts';
import { Claims } from './claims.ts';
import type { ElementLines } from './element-lines.ts';
import { Members } from './members.ts';
import { NAMES } from './names.ts';
import { renderService } from './render-service.ts';
import type { Destination, RenderedService } from './render-service.ts';
import { tableName, typesOf } from './render-table.ts';
import type { TableRef } from './render-table.ts';
import { Spreads } from './spreads.ts';

/** What a change of Services asks of the machine. */
export interface Batch {
  readonly lines: readonly string[];
  /** Chains and sets that nothing points at any more, once the lines are done. */
  readonly stale: readonly string[];
}

/** The maps that a destination's parts are elements of. */
const IP_MAPS = { forward: NAMES.serviceIPs, filter: NAMES.unservedIPs, firewall: NAMES.firewallIPs } as const;
const PORT_MAPS = { forward: NAMES.nodePorts, filter: NAMES.unservedNodePorts } as const;

/** What one table of ours has in it, and the lines that take it from one state to the next. Pure. */
export class TableContent {
  readonly #ref: string;
  /** Of addresses in sets. */
  readonly #type: string;
  readonly #node: NodeRules;
  readonly #services = new Map<string, RenderedService>();
  readonly #spreads: Spreads;
  readonly #claims = {
    ips: new Claims(IP_MAPS),
    ports: new Claims(PORT_MAPS),
  };
  readonly #members = { clusterIPs: new Members(NAMES.clusterIPs), hairpins: new Members(NAMES.hairpins) };

  constructor(table: TableRef, node: NodeRules) {
    this.#ref = tableName(table);
    this.#type = typesOf(table).type;
    this.#spreads = new Spreads(table);
    this.#node = node;
  }

  /** Takes changes in, and answers what they ask for. */
  change(changes: Iterable<readonly [id: string, rules: ServiceRules | undefined]>): Batch {
    const chains: string[] = [];
    const rules: string[] = [];
    const stale: string[] = [];
    for (const [id, wanted] of changes) {
      const before = this.#services.get(id) ?? NOTHING;
      const after = wanted === undefined ? NOTHING : renderService(wanted, this.#node);
      this.#writeChains(before, after, { chains, rules, stale });
      for (const { endpoints } of after.destinations.values())
        if (endpoints !== undefined) this.#spreads.make(endpoints.protocol, endpoints.places.length, { chains, rules });
      this.#claimAll(id, before, after);
      if (wanted === undefined) this.#services.delete(id);
      else this.#services.set(id, after);
    }
    const flushed = stale
      .filter((line) => line.startsWith('delete chain'))
      .map((line) => line.replace('delete', 'flush'));
    const elements: ElementLines = { removed: [], added: [] };
    for (const part of [...Object.values(this.#claims), ...Object.values(this.#members)])
      part.take(this.#ref, elements);
    return { lines: [...chains, ...elements.removed, ...rules, ...elements.added, ...flushed], stale };
  }

  #writeChains(
    before: RenderedService,
    after: RenderedService,
    { chains, rules, stale }: { readonly chains: string[]; readonly rules: string[]; readonly stale: string[] },
  ): void {
    for (const [set, seconds] of after.affinitySets) {
      if (before.affinitySets.has(set)) continue;
      chains.push(`add set ${this.#ref} ${set} { type ${this.#type} ; flags dynamic,timeout ; timeout ${seconds}s ; }`);
    }
    for (const [chain, wanted] of after.chains) {
      const had = before.chains.get(chain);
      if (had?.join('\n') === wanted.join('\n')) continue;
      // It may be there still from a moment ago, emptied.
      chains.push(`add chain ${this.#ref} ${chain}`, `flush chain ${this.#ref} ${chain}`);
      for (const rule of wanted) rules.push(`add rule ${this.#ref} ${chain} ${rule}`);
    }
    for (const chain of before.chains.keys())
      if (!after.chains.has(chain)) stale.push(`delete chain ${this.#ref} ${chain}`);
    for (const set of before.affinitySets.keys())
      if (!after.affinitySets.has(set)) stale.push(`delete set ${this.#ref} ${set}`);
  }

  #claimAll(id: string, before: RenderedService, after: RenderedService): void {
    const claims = this.#claims;
    claimMap(claims.ips, id, [before.destinations, after.destinations]);
    claimMap(claims.ports, id, [before.nodePorts, after.nodePorts]);
    const { clusterIPs, hairpins } = this.#members;
    if (after.clusterIP !== '') clusterIPs.ask(after.clusterIP);
    if (before.clusterIP !== '') clusterIPs.giveUp(before.clusterIP);
    for (const pair of after.hairpins) hairpins.ask(pair);
    for (const pair of before.hairpins) hairpins.giveUp(pair);
  }
}

type BeforeAndAfter<T> = readonly [before: T, after: T];

function claimMap(claims: Claims, id: string, [had, has]: BeforeAndAfter<ReadonlyMap<string, Destination>>): void {
  for (const key of had.keys()) if (!has.has(key)) claims.put(key, id, undefined);
  for (const [key, to] of has) claims.put(key, id, to);
}

const NOTHING: RenderedService = {
  chains: new Map(),
  affinitySets: new Map(),
  destinations: new Map(),
  nodePorts: new Map(),
  clusterIP: '',
  hairpins: [],
};
