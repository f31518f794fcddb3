import type { Logger } from '@binnacle/base';
import { NetworkError } from '../errors.ts';
import { FlowForgetter } from '../machine/forget-flows.ts';
import type { RunTool } from '../machine/run-tool.ts';
import { staleFlows } from '../machine/stale-flows.ts';
import type { Family, NodeRules, ServiceNetwork, ServiceRules } from '../rules.ts';
import { ChainNames } from './chain-names.ts';
import { entrances, TABLES } from './render-node.ts';
import { restoreText } from './restore-text.ts';
import { readSaved } from './saved-rules.ts';
import { IptablesContent } from './iptables-content.ts';

/** What the driver works with. */
export interface IptablesOptions {
  /** All our chains begin with it: nobody else's on this machine; at most nine capital letters and digits. */
  readonly prefix: string;
  readonly families: readonly Family[];
  readonly run: RunTool;
  readonly log: Logger;
  /** Absent: as the machine's `iptables` is set up. */
  readonly variant?: 'nft' | 'legacy';
}

/** Seconds that we wait for others who write rules. */
const WAIT = ['-w', '5'];

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

/** Services by iptables, for machines without nftables: a chain per Service's port, one batch per change and table. */
export class IptablesNetwork implements ServiceNetwork {
  readonly #options: IptablesOptions;
  readonly #names: ChainNames;
  readonly #flows: FlowForgetter;
  #contents = new Map<Family, IptablesContent>();
  #services = new Map<string, ServiceRules>();

  constructor(options: IptablesOptions) {
    this.#options = options;
    this.#names = new ChainNames(options.prefix);
    this.#flows = new FlowForgetter(options.run, options.log);
  }

  async replace(node: NodeRules, services: ReadonlyMap<string, ServiceRules>): Promise<void> {
    const contents = new Map<Family, IptablesContent>();
    for (const family of this.#options.families) {
      const content = new IptablesContent({ family, node, names: this.#names });
      const wanted = content.change([...services].filter(([, rules]) => rules.family === family));
      let text = '';
      for (const table of TABLES) {
        const saved = readSaved(await this.#save(family, table), this.#names);
        const missing = [...entrances(this.#names)[table]].filter(
          ([chain, rule]) => !saved.entrances.includes(`-A ${chain} ${rule}`),
        );
        text += restoreText(table, {
          before: new Map(),
          after: wanted[table].after,
          leftovers: saved.chains,
          entrances: missing.map(([chain, rule]) => `-I ${chain} 1 ${rule}`),
        });
      }
      await this.#restore(family, text);
      contents.set(family, content);
    }
    this.#contents = contents;
    this.#services = new Map(services);
  }

  async change(changes: ReadonlyMap<string, ServiceRules | undefined>): Promise<void> {
    for (const [family, content] of this.#contents) {
      const mine = [...changes].filter(([id, rules]) => (rules ?? this.#services.get(id))?.family === family);
      if (mine.length === 0) continue;
      const wanted = content.change(mine);
      await this.#restore(family, TABLES.map((table) => restoreText(table, wanted[table])).join(''));
    }
    const flows = [...changes].flatMap(([id, rules]) => staleFlows(this.#services.get(id), rules));
    for (const [id, rules] of changes) {
      if (rules === undefined) this.#services.delete(id);
      else this.#services.set(id, rules);
    }
    await this.#flows.forget(flows);
  }

  async remove(): Promise<void> {
    for (const family of this.#options.families) {
      let text = '';
      for (const table of TABLES) {
        const { chains, entrances: ways } = readSaved(await this.#save(family, table), this.#names);
        text += restoreText(table, {
          before: new Map(),
          after: new Map(),
          leftovers: chains,
          entrances: ways.map((way) => way.replace(/^-A /, '-D ')),
        });
      }
      await this.#restore(family, text);
    }
    this.#contents = new Map();
    this.#services = new Map();
  }

  async isThere(): Promise<boolean> {
    try {
      for (const family of this.#contents.keys())
        for (const table of TABLES)
          for (const [chain, rule] of entrances(this.#names)[table])
            await this.#options.run([this.#tool(family, ''), ...WAIT, '-t', table, '-C', chain, ...rule.split(' ')]);
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
