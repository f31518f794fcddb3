import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { NetworkError } from '../errors.ts';
import type { Family, NodeRules, ServiceNetwork, ServiceRules } from '../rules.ts';
import { keptAffinities } from './affinities.ts';
import { Batches } from './batches.ts';
import { renderTable, tableName } from './render-table.ts';
import type { TableRef } from './render-table.ts';
import type { RunTool } from './run-tool.ts';
import { staleFlows } from './stale-flows.ts';
import { TableContent } from './table-content.ts';

/** What the driver works with. */
export interface NftablesOptions {
  /** Of our tables, one per family: nobody else's on this machine. */
  readonly table: string;
  readonly families: readonly Family[];
  readonly run: RunTool;
  readonly log: Logger;
}

/** Flows that are forgotten in one change; a rule set that was made anew forgets none. */
const FLOWS_MAX = 1000;

/** Services by nftables: a table per family, verdict maps, one batch per change. */
export class NftablesNetwork implements ServiceNetwork {
  readonly #options: NftablesOptions;
  readonly #tables: readonly TableRef[];
  readonly #batches: Batches;
  #contents = new Map<Family, TableContent>();
  #services = new Map<string, ServiceRules>();
  #canForgetFlows = true;

  constructor(options: NftablesOptions) {
    this.#options = options;
    this.#batches = new Batches(options.run, options.log);
    this.#tables = options.families.map((family) => ({ family, name: options.table }));
  }

  async replace(node: NodeRules, services: ReadonlyMap<string, ServiceRules>): Promise<void> {
    const contents = new Map<Family, TableContent>();
    const lines: string[] = [];
    for (const table of this.#tables) {
      const content = new TableContent(table, node);
      contents.set(table.family, content);
      const mine = [...services].filter(([, { family }]) => family === table.family);
      const made = content.change(mine).lines;
      lines.push(...renderTable(table, node), ...made, ...(await this.#affinities(table, made)));
    }
    await this.#batches.replace(lines);
    this.#contents = contents;
    this.#services = new Map(services);
  }

  async change(changes: ReadonlyMap<string, ServiceRules | undefined>): Promise<void> {
    const lines: string[] = [];
    const stale: string[] = [];
    for (const [family, content] of this.#contents) {
      const mine = [...changes].filter(([id, rules]) => (rules ?? this.#services.get(id))?.family === family);
      const batch = content.change(mine);
      lines.push(...batch.lines);
      stale.push(...batch.stale);
    }
    await this.#batches.change({ lines, stale });
    const flows = [...changes].flatMap(([id, rules]) => staleFlows(this.#services.get(id), rules));
    for (const [id, rules] of changes) {
      if (rules === undefined) this.#services.delete(id);
      else this.#services.set(id, rules);
    }
    await this.#forget(flows);
  }

  async remove(): Promise<void> {
    await this.#batches.replace(
      this.#tables.flatMap((table) => [`add table ${tableName(table)}`, `delete table ${tableName(table)}`]),
    );
    this.#contents = new Map();
    this.#services = new Map();
  }

  /** Whether our tables are as we left them, as far as a glance tells. */
  async isThere(): Promise<boolean> {
    try {
      for (const table of this.#tables)
        await this.#options.run(['nft', 'list', 'chain', ...tableName(table).split(' '), 'services']);
      return true;
    } catch (error) {
      if (error instanceof NetworkError) return false;
      throw error;
    }
  }

  async #affinities(table: TableRef, made: readonly string[]): Promise<string[]> {
    const prefix = `add set ${tableName(table)} `;
    const sets = new Set(made.filter((line) => line.startsWith(prefix)).map((line) => line.split(' ')[4] ?? ''));
    if (sets.size === 0) return [];
    const listing = await this.#options.run(['nft', '-j', 'list', 'sets']);
    return keptAffinities(listing, tableName(table), (set) => sets.has(set));
  }

  async #forget(flows: readonly (readonly string[])[]): Promise<void> {
    if (!this.#canForgetFlows) return;
    for (const flow of flows.slice(0, FLOWS_MAX)) {
      try {
        await this.#options.run(['conntrack', ...flow]);
      } catch (error) {
        const reason = messageOf(error);
        // It ends so when there was nothing to forget.
        if (reason.includes('0 flow entries')) continue;
        this.#canForgetFlows = !reason.includes('ENOENT');
        this.#options.log.warn('UDP clients may be sent to places that are gone until they pause', { reason });
        return;
      }
    }
  }
}
