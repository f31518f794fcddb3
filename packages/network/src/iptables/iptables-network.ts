import type { Logger } from '@binnacle/base';
import { FlowForgetter } from '../machine/forget-flows.ts';
import type { RunTool } from '../machine/run-tool.ts';
import { staleFlows, staleFlowsOfAll } from '../machine/stale-flows.ts';
import type { Family, NodeRules, ServiceNetwork, ServiceRules } from '../rules.ts';
import { ChainNames } from './chain-names.ts';
import { ChainTables } from './chain-tables.ts';
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

/** Services by iptables, for machines without nftables: a chain per Service's port, one batch per change and table. */
export class IptablesNetwork implements ServiceNetwork {
  readonly #families: readonly Family[];
  readonly #names: ChainNames;
  readonly #tables: ChainTables;
  readonly #flows: FlowForgetter;
  #contents = new Map<Family, IptablesContent>();
  #services = new Map<string, ServiceRules>();

  constructor({ prefix, families, run, log, variant }: IptablesOptions) {
    this.#families = families;
    this.#names = new ChainNames(prefix);
    this.#tables = new ChainTables({ names: this.#names, run, ...(variant === undefined ? {} : { variant }) });
    this.#flows = new FlowForgetter(run, log);
  }

  async replace(node: NodeRules, services: ReadonlyMap<string, ServiceRules>): Promise<void> {
    const contents = new Map<Family, IptablesContent>();
    for (const family of this.#families) {
      const content = new IptablesContent({ family, node, names: this.#names });
      const { nat, filter, security } = content.change([...services].filter(([, rules]) => rules.family === family));
      await this.#tables.replace(family, { nat: nat.after, filter: filter.after, security: security.after });
      contents.set(family, content);
    }
    this.#contents = contents;
    const flows = staleFlowsOfAll(this.#services, services);
    this.#services = new Map(services);
    await this.#flows.begin(this.#families, { node, services });
    await this.#flows.forget(flows);
  }

  async change(changes: ReadonlyMap<string, ServiceRules | undefined>): Promise<void> {
    for (const [family, content] of this.#contents) {
      const mine = [...changes].filter(([id, rules]) => (rules ?? this.#services.get(id))?.family === family);
      if (mine.length > 0) await this.#tables.change(family, content.change(mine));
    }
    const flows = staleFlows([...changes].map(([id, rules]) => [this.#services.get(id), rules]));
    for (const [id, rules] of changes) {
      if (rules === undefined) this.#services.delete(id);
      else this.#services.set(id, rules);
    }
    await this.#flows.forget(flows);
  }

  async remove(): Promise<void> {
    for (const family of this.#families) await this.#tables.remove(family);
    this.#contents = new Map();
    this.#services = new Map();
  }

  async isThere(): Promise<boolean> {
    for (const family of this.#contents.keys()) if (!(await this.#tables.isThere(family))) return false;
    return true;
  }
}
