import type { Protocol } from '../rules.ts';
import { endpointMap, spreadChain } from './names.ts';
import { tableName, typesOf } from './render-table.ts';
import type { TableRef } from './render-table.ts';

/** Lines of a batch: what rules name is there before them. */
export interface ChainLines {
  readonly chains: string[];
  readonly rules: string[];
}

/**
 * Chains and maps that Services share: a chain for each number of endpoints, and for each endpoint's number a map with
 * the chain that asks it. They are made once a Service needs them, and stay as long as the table does.
 */
export class Spreads {
  readonly #table: TableRef;
  /** Chains that are there; with that of a number its map is. */
  readonly #made = new Set<string>();

  constructor(table: TableRef) {
    this.#table = table;
  }

  /** What is not there yet of what so many endpoints need. */
  make(protocol: Protocol, count: number, lines: ChainLines): void {
    const spread = spreadChain(protocol, count);
    if (this.#made.has(spread)) return;
    const ends = Array.from({ length: count }, (_, number) => this.#endOf(protocol, number, lines));
    const choices = ends.map((chain, number) => `${number} : goto ${chain}`);
    this.#chain(spread, `numgen random mod ${count} vmap { ${choices.join(', ')} }`, lines);
  }

  #endOf(protocol: Protocol, number: number, lines: ChainLines): string {
    const chain = `${protocol}-endpoint-${number}`;
    if (this.#made.has(chain)) return chain;
    const map = endpointMap(protocol, number);
    const { ip, type } = typesOf(this.#table);
    const place = `${type} . inet_service`;
    lines.chains.push(`add map ${tableName(this.#table)} ${map} { type ${place} : ${place} ; }`);
    const key = `${ip} daddr . th dport`;
    this.#chain(chain, `meta l4proto ${protocol} dnat ${ip} addr . port to ${key} map @${map}`, lines);
    return chain;
  }

  /** A batch may be told twice: what is there already has its rule once. */
  #chain(name: string, rule: string, { chains, rules }: ChainLines): void {
    this.#made.add(name);
    const chain = `${tableName(this.#table)} ${name}`;
    chains.push(`add chain ${chain}`, `flush chain ${chain}`);
    rules.push(`add rule ${chain} ${rule}`);
  }
}
