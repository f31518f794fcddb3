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
import type { SavedTable } from './saved-rules.ts';

/** Seconds that we wait for others who write rules. */
const WAIT = ['-w', '5'];

/** What it works with. */
export interface ChainTablesOptions {
  readonly names: ChainNames;
  readonly run: RunTool;
  /** Absent: as the machine's `iptables` is set up. */
  readonly variant?: 'nft' | 'legacy';
}

/**
 * Our chains on the machine, by its `iptables-save` and `iptables-restore`. A kernel of old may lack the table `security`: there
 * its chains are in `filter`, led into behind everything else.
 */
export class ChainTables {
  readonly #options: ChainTablesOptions;
  /** Families without `security`, as found when all was made anew last. */
  readonly #lacking = new Set<Family>();

  constructor(options: ChainTablesOptions) {
    this.#options = options;
  }

  /** These chains and no others of ours, whatever is there, with the kernel's chains leading into them. */
  async replace(family: Family, chains: Readonly<Record<Table, Chains>>): Promise<void> {
    const saved = await this.#read(family);
    if (saved.has('security')) this.#lacking.delete(family);
    else this.#lacking.add(family);
    let text = '';
    for (const [table, { chains: leftovers, entrances: ways }] of saved) {
      const wanted = this.#entrances(family, table);
      const made = [...wanted].flatMap(([way, line]) => (ways.includes(way) ? [] : [line]));
      const gone = ways.filter((way) => !wanted.has(way)).map(deletion);
      const after = this.#isLast(family, table) ? joined(chains[table], chains.security) : chains[table];
      text += restoreText(table, { before: new Map(), after, leftovers, entrances: [...gone, ...made] });
    }
    await this.#restore(family, text);
  }

  async change(family: Family, change: ContentChange): Promise<void> {
    let text = '';
    for (const table of this.#tablesOf(family)) {
      const [{ before, after }, more] = [change[table], change.security];
      const isLast = this.#isLast(family, table);
      text += restoreText(
        table,
        isLast ? { before: joined(before, more.before), after: joined(after, more.after) } : { before, after },
      );
    }
    await this.#restore(family, text);
  }

  async remove(family: Family): Promise<void> {
    let text = '';
    for (const [table, { chains: leftovers, entrances: ways }] of await this.#read(family))
      text += restoreText(table, { before: new Map(), after: new Map(), leftovers, entrances: ways.map(deletion) });
    await this.#restore(family, text);
  }

  /** Whether the kernel's chains lead into ours still. */
  async isThere(family: Family): Promise<boolean> {
    try {
      for (const table of this.#tablesOf(family))
        for (const way of this.#entrances(family, table).keys())
          await this.#options.run([
            ...[this.#tool(family, ''), ...WAIT, '-t', table],
            ...way.replace(/^-A /, '-C ').split(' '),
          ]);
      return true;
    } catch (error) {
      if (error instanceof NetworkError) return false;
      throw error;
    }
  }

  /** What of ours is in each table that the machine has. */
  async #read(family: Family): Promise<ReadonlyMap<Table, SavedTable>> {
    const found = new Map<Table, SavedTable>();
    for (const table of TABLES) {
      try {
        const said = await this.#options.run([this.#tool(family, '-save'), '-t', table]);
        found.set(table, readSaved(said, this.#options.names));
      } catch (error) {
        if (table !== 'security' || !(error instanceof NetworkError)) throw error;
      }
    }
    return found;
  }

  #tablesOf(family: Family): readonly Table[] {
    return this.#lacking.has(family) ? TABLES.filter((table) => table !== 'security') : TABLES;
  }

  /** Whether a table has the chains of `security` too. */
  #isLast(family: Family, table: Table): boolean {
    return table === 'filter' && this.#lacking.has(family);
  }

  /** By how `iptables-save` tells it, the line that makes each way into our chains of a table. */
  #entrances(family: Family, table: Table): ReadonlyMap<string, string> {
    const all = entrances(this.#options.names);
    const last = this.#isLast(family, table) ? all.security : [];
    return new Map([
      ...all[table].map(([chain, rule]): [string, string] => [`-A ${chain} ${rule}`, `-I ${chain} 1 ${rule}`]),
      ...last.map(([chain, rule]): [string, string] => [`-A ${chain} ${rule}`, `-A ${chain} ${rule}`]),
    ]);
  }

  async #restore(family: Family, text: string): Promise<void> {
    if (text !== '') await this.#options.run([this.#tool(family, '-restore'), ...WAIT, '--noflush'], text);
  }

  #tool(family: Family, verb: '' | '-save' | '-restore'): string {
    const { variant } = this.#options;
    return `${family === 'IPv4' ? 'iptables' : 'ip6tables'}${variant === undefined ? '' : `-${variant}`}${verb}`;
  }
}

function joined(chains: Chains, more: Chains): Chains {
  return new Map([...chains, ...more]);
}

function deletion(way: string): string {
  return way.replace(/^-A /, '-D ');
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
