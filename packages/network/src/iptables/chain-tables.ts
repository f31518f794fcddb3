import { NetworkError } from '../errors.ts';
import type { RunTool } from '../machine/run-tool.ts';
import type { Family } from '../rules.ts';
import type { ChainNames } from './chain-names.ts';
import type { ContentChange } from './iptables-content.ts';
import { entrances, TABLES } from './render-node.ts';
import type { Table } from './render-node.ts';
import type { Chains } from './render-service.ts';
import { restoreText } from './restore-text.ts';
import { readSaved } from './saved-rules.ts';

/** Seconds that we wait for others who write rules. */
const WAIT = ['-w', '5'];

/** What it works with. */
export interface ChainTablesOptions {
  readonly names: ChainNames;
  readonly run: RunTool;
  /** Absent: as the machine's `iptables` is set up. */
  readonly variant?: 'nft' | 'legacy';
}

/** Our chains on the machine, by its `iptables-save` and `iptables-restore`. */
export class ChainTables {
  readonly #options: ChainTablesOptions;

  constructor(options: ChainTablesOptions) {
    this.#options = options;
  }

  /** These chains and no others of ours, whatever is there, with the kernel's chains leading into them. */
  async replace(family: Family, chains: Readonly<Record<Table, Chains>>): Promise<void> {
    const { names } = this.#options;
    let text = '';
    for (const table of TABLES) {
      const saved = readSaved(await this.#save(family, table), names);
      const missing = [...entrances(names)[table]].filter(
        ([chain, rule]) => !saved.entrances.includes(`-A ${chain} ${rule}`),
      );
      text += restoreText(table, {
        before: new Map(),
        after: chains[table],
        leftovers: saved.chains,
        entrances: missing.map(([chain, rule]) => `-I ${chain} 1 ${rule}`),
      });
    }
    await this.#restore(family, text);
  }

  async change(family: Family, change: ContentChange): Promise<void> {
    await this.#restore(family, TABLES.map((table) => restoreText(table, change[table])).join(''));
  }

  async remove(family: Family): Promise<void> {
    let text = '';
    for (const table of TABLES) {
      const { chains, entrances: ways } = readSaved(await this.#save(family, table), this.#options.names);
      text += restoreText(table, {
        before: new Map(),
        after: new Map(),
        leftovers: chains,
        entrances: ways.map((way) => way.replace(/^-A /, '-D ')),
      });
    }
    await this.#restore(family, text);
  }

  /** Whether the kernel's chains lead into ours still. */
  async isThere(family: Family): Promise<boolean> {
    const { names, run } = this.#options;
    try {
      for (const table of TABLES)
        for (const [chain, rule] of entrances(names)[table])
          await run([this.#tool(family, ''), ...WAIT, '-t', table, '-C', chain, ...rule.split(' ')]);
      return true;
    } catch (error) {
      if (error instanceof NetworkError) return false;
      throw error;
    }
  }

  #save(family: Family, table: string): Promise<string> {
    return this.#options.run([this.#tool(family, '-save'), '-t', table]);
  }

  async #restore(family: Family, text: string): Promise<void> {
    if (text !== '') await this.#options.run([this.#tool(family, '-restore'), ...WAIT, '--noflush'], text);
  }

  #tool(family: Family, verb: '' | '-save' | '-restore'): string {
    const { variant } = this.#options;
    return `${family === 'IPv4' ? 'iptables' : 'ip6tables'}${variant === undefined ? '' : `-${variant}`}${verb}`;
  }
}

/** The families that the machine's iptables can do: IPv6 may be switched off. Throws NetworkError where there is no iptables. */
export async function usableFamilies(run: RunTool): Promise<readonly Family[]> {
  await run(['iptables', '--version']);
  try {
    await run(['ip6tables', ...WAIT, '-t', 'nat', '-S', 'OUTPUT']);
    return ['IPv4', 'IPv6'];
  } catch (error) {
    if (error instanceof NetworkError) return ['IPv4'];
    throw error;
  }
}
