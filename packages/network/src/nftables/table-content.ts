import type { NodeRules, ServiceRules } from '../rules.ts';
import { NAMES } from './names.ts';
import { renderService } from './render-service.ts';
import type { Destination, RenderedService } from './render-service.ts';
import { tableName } from './render-table.ts';
import type { TableRef } from './render-table.ts';

/** What a change of Services asks of the machine. */
export interface Batch {
  readonly lines: readonly string[];
  /** Chains and sets that nothing points at any more, once the lines are done. */
  readonly stale: readonly string[];
}

/** Elements of one map or set: what is claimed, by whom, and who has it. */
class Claims {
  readonly #claims = new Map<string, Map<string, Destination>>();

  /** Sets a claim (undefined: gives it up) and answers the winner before. */
  put(key: string, id: string, claim: Destination | undefined): Destination | undefined {
    const before = this.winner(key);
    let claims = this.#claims.get(key);
    if (claims === undefined) this.#claims.set(key, (claims = new Map()));
    if (claim === undefined) claims.delete(id);
    else claims.set(id, claim);
    if (claims.size === 0) this.#claims.delete(key);
    return before;
  }

  winner(key: string): Destination | undefined {
    let first: readonly [id: string, claim: Destination] | undefined;
    for (const each of this.#claims.get(key) ?? []) {
      if (first === undefined || isBefore(each, first)) first = each;
    }
    return first?.[1];
  }
}

type Claim = readonly [id: string, claim: Destination];

function isBefore([id, { rank }]: Claim, [otherId, other]: Claim): boolean {
  return rank === other.rank ? id < otherId : rank < other.rank;
}

/** The maps that a destination's parts are elements of. */
const IP_MAPS = { forward: NAMES.serviceIPs, filter: NAMES.unservedIPs, firewall: NAMES.firewallIPs } as const;
const PORT_MAPS = { forward: NAMES.nodePorts, filter: NAMES.unservedNodePorts } as const;
const MEMBER: Destination = { rank: 0, forward: '' };

/** What one table of ours has in it, and the lines that take it from one state to the next. Pure. */
export class TableContent {
  readonly #ref: string;
  readonly #node: NodeRules;
  readonly #services = new Map<string, RenderedService>();
  readonly #ips = new Claims();
  readonly #ports = new Claims();
  readonly #clusterIPs = new Claims();
  readonly #hairpins = new Claims();
  readonly #endpoints = new Claims();

  constructor(table: TableRef, node: NodeRules) {
    this.#ref = tableName(table);
    this.#node = node;
  }

  /** Takes changes in, and answers what they ask for. */
  change(changes: Iterable<readonly [id: string, rules: ServiceRules | undefined]>): Batch {
    const chains: string[] = [];
    const rules: string[] = [];
    const elements = new ElementChanges(this.#ref);
    const stale: string[] = [];
    for (const [id, wanted] of changes) {
      const before = this.#services.get(id) ?? NOTHING;
      const after = wanted === undefined ? NOTHING : renderService(wanted, this.#node);
      this.#writeChains(before, after, { chains, rules, stale });
      this.#claimAll(id, { before, after }, elements);
      if (wanted === undefined) this.#services.delete(id);
      else this.#services.set(id, after);
    }
    const flushed = stale
      .filter((line) => line.startsWith('delete chain'))
      .map((line) => line.replace('delete', 'flush'));
    return { lines: [...chains, ...elements.removals(), ...rules, ...elements.additions(), ...flushed], stale };
  }

  #writeChains(
    before: RenderedService,
    after: RenderedService,
    { chains, rules, stale }: { readonly chains: string[]; readonly rules: string[]; readonly stale: string[] },
  ): void {
    for (const [set, seconds] of after.affinitySets) {
      if (before.affinitySets.has(set)) continue;
      const type = this.#ref.startsWith('ip6') ? 'ipv6_addr' : 'ipv4_addr';
      chains.push(`add set ${this.#ref} ${set} { type ${type} ; flags dynamic,timeout ; timeout ${seconds}s ; }`);
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

  #claimAll(
    id: string,
    { before, after }: { readonly before: RenderedService; readonly after: RenderedService },
    elements: ElementChanges,
  ): void {
    const claim = (
      claims: Claims,
      maps: { readonly [part in 'forward' | 'filter' | 'firewall']?: string },
      [had, has]: readonly [ReadonlyMap<string, Destination>, ReadonlyMap<string, Destination>],
    ): void => {
      for (const key of new Set([...had.keys(), ...has.keys()])) {
        const winner = claims.put(key, id, has.get(key));
        elements.replace(key, maps, [winner, claims.winner(key)]);
      }
    };
    claim(this.#ips, IP_MAPS, [before.destinations, after.destinations]);
    claim(this.#ports, PORT_MAPS, [before.nodePorts, after.nodePorts]);
    const values = (endpoints: ReadonlyMap<string, string>): Map<string, Destination> =>
      new Map([...endpoints].map(([key, forward]) => [key, { rank: 0, forward }]));
    claim(this.#endpoints, { forward: NAMES.endpoints }, [values(before.endpoints), values(after.endpoints)]);
    const members = (keys: readonly string[]): Map<string, Destination> =>
      new Map(keys.filter((key) => key !== '').map((key) => [key, MEMBER]));
    claim(this.#clusterIPs, { forward: NAMES.clusterIPs }, [members([before.clusterIP]), members([after.clusterIP])]);
    claim(this.#hairpins, { forward: NAMES.hairpins }, [members(before.hairpins), members(after.hairpins)]);
  }
}

const NOTHING: RenderedService = {
  chains: new Map(),
  affinitySets: new Map(),
  destinations: new Map(),
  nodePorts: new Map(),
  clusterIP: '',
  endpoints: new Map(),
  hairpins: [],
};

/** Elements as they were before a batch and are after it, however often they change on the way. */
class ElementChanges {
  readonly #ref: string;
  readonly #changed = new Map<
    string,
    Map<string, { readonly before: string | undefined; after: string | undefined }>
  >();

  constructor(ref: string) {
    this.#ref = ref;
  }

  replace(
    key: string,
    maps: { readonly [part in 'forward' | 'filter' | 'firewall']?: string },
    [was, is]: readonly [Destination | undefined, Destination | undefined],
  ): void {
    for (const part of ['forward', 'filter', 'firewall'] as const) {
      const map = maps[part];
      if (map === undefined || was?.[part] === is?.[part]) continue;
      let changed = this.#changed.get(map);
      if (changed === undefined) this.#changed.set(map, (changed = new Map()));
      const known = changed.get(key);
      if (known === undefined) changed.set(key, { before: was?.[part], after: is?.[part] });
      else known.after = is?.[part];
    }
  }

  removals(): string[] {
    return this.#lines('delete', ({ before }) => before);
  }

  additions(): string[] {
    return this.#lines('add', ({ after }) => after);
  }

  #lines(
    verb: 'add' | 'delete',
    side: (change: { readonly before: string | undefined; readonly after: string | undefined }) => string | undefined,
  ): string[] {
    return [...this.#changed].flatMap(([map, changed]) => {
      const named = [...changed].flatMap(([key, change]) => {
        const value = side(change);
        if (value === undefined || change.before === change.after) return [];
        return [value === '' || verb === 'delete' ? key : `${key} : ${value}`];
      });
      return named.length === 0 ? [] : [`${verb} element ${this.#ref} ${map} { ${named.join(', ')} }`];
    });
  }
}
