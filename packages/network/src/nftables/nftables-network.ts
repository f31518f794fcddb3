import type { Family, NodeRules, ServiceNetwork, ServiceRules } from '../rules.ts';
import { keptAffinities } from './affinities.ts';
import { Batches } from './batches.ts';
import type { BatchOptions } from './batches.ts';
import { hasRules } from './has-rules.ts';
import { NAMES } from './names.ts';
import { renderTable, tableName } from './render-table.ts';
import type { TableRef } from './render-table.ts';
import { FlowForgetter } from '../machine/forget-flows.ts';
import { staleFlows, staleFlowsOfAll } from '../machine/stale-flows.ts';
import { TableContent } from './table-content.ts';

/** What the driver works with. */
export interface NftablesOptions extends BatchOptions {
  /** Of our tables, one per family: nobody else's on this machine. */
  readonly table: string;
  readonly families: readonly Family[];
  /** Runs what changes thousands of elements at once while nobody of ours listens to changes. Absent: as it is. */
  readonly quietly?: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Services by nftables: a table per family, verdict maps, one batch per change. */
export class NftablesNetwork implements ServiceNetwork {
  readonly #options: NftablesOptions;
  readonly #tables: readonly TableRef[];
  readonly #batches: Batches;
  readonly #flows: FlowForgetter;
  #contents = new Map<Family, TableContent>();
  #services = new Map<string, ServiceRules>();

  constructor(options: NftablesOptions) {
    this.#options = options;
    this.#batches = new Batches(options);
    this.#flows = new FlowForgetter(options.run, options.log);
    this.#tables = options.families.map((family) => ({ family, name: options.table }));
  }

  async replace(node: NodeRules, services: ReadonlyMap<string, ServiceRules>): Promise<void> {
    const contents = new Map<Family, TableContent>();
    const lines: string[] = [];
    for (const table of this.#tables) {
      const content = new TableContent(table, node);
      const mine = [...services].filter(([, { family }]) => family === table.family);
      const made = content.change(mine).lines;
      contents.set(table.family, content);
      lines.push(...renderTable(table, node));
      for (const line of made) lines.push(line);
      lines.push(...(await this.#affinities(table, made)));
    }
    const { quietly = (work) => work() } = this.#options;
    await quietly(() => this.#batches.replace(lines));
    this.#contents = contents;
    const flows = staleFlowsOfAll(this.#services, services);
    this.#services = new Map(services);
    await this.#flows.begin(
      this.#tables.map(({ family }) => family),
      { node, services },
    );
    await this.#flows.forget(flows);
  }

  async change(changes: ReadonlyMap<string, ServiceRules | undefined>): Promise<void> {
    const lines: string[] = [];
    const stale: string[] = [];
    for (const [family, content] of this.#contents) {
      const mine = [...changes].filter(([id, rules]) => (rules ?? this.#services.get(id))?.family === family);
      const batch = content.change(mine);
      for (const line of batch.lines) lines.push(line);
      stale.push(...batch.stale);
    }
    const flows = staleFlows([...changes].map(([id, rules]) => [this.#services.get(id), rules]));
    await this.#batches.change({ lines, stale });
    for (const [id, rules] of changes) {
      if (rules === undefined) this.#services.delete(id);
      else this.#services.set(id, rules);
    }
    await this.#flows.forget(flows);
  }

  async remove(): Promise<void> {
    await this.#batches.replace(
      this.#tables.flatMap((table) => [`add table ${tableName(table)}`, `delete table ${tableName(table)}`]),
    );
    this.#contents = new Map();
    this.#services = new Map();
  }

  async isThere(): Promise<boolean> {
    for (const table of this.#tables) {
      const chain = { table: tableName(table), name: NAMES.services, maps: [NAMES.serviceIPs, NAMES.nodePorts] };
      if (!(await hasRules(this.#options.run, chain))) return false;
    }
    return true;
  }

  async #affinities(table: TableRef, made: readonly string[]): Promise<string[]> {
    const prefix = `add set ${tableName(table)} `;
    const sets = new Set(made.filter((line) => line.startsWith(prefix)).map((line) => line.split(' ')[4] ?? ''));
    if (sets.size === 0) return [];
    const listing = await this.#options.run(['nft', '-j', 'list', 'sets']);
    return keptAffinities(listing, tableName(table), (set) => sets.has(set));
  }
}
