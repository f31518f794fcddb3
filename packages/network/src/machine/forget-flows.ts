import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { Family, NodeRules, ServiceRules } from '../rules.ts';
import type { RunTool } from './run-tool.ts';
import { flowsThatAreThere, knownFlows, orphanedFlows, redirectedFlows } from './stale-flows.ts';

/** Kinds of flows that are forgotten in one change: each is a run of the tool, and the next change waits. */
const FLOWS_MAX = 1000;
/** More than these are looked for first, all at once. */
const UNSEEN_MAX = 8;

const FAMILIES: readonly (readonly [word: string, family: Family])[] = [
  ['ipv4', 'IPv4'],
  ['ipv6', 'IPv6'],
];

/** Has the kernel forget connections, by the machine's `conntrack`; where that is not installed, says so once. */
export class FlowForgetter {
  readonly #run: RunTool;
  readonly #log: Logger;
  #can = true;
  #hasBegun = false;

  readonly #complaint: string;

  constructor(
    run: RunTool,
    log: Logger,
    complaint = 'UDP clients may be sent to places that are gone until they pause',
  ) {
    this.#run = run;
    this.#log = log;
    this.#complaint = complaint;
  }

  /** Once, when the first rules hold: what was sent where nobody is any more, while nobody kept rules. */
  async begin(
    families: readonly Family[],
    of: { readonly node: NodeRules; readonly services: ReadonlyMap<string, ServiceRules> },
  ): Promise<void> {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    for (const family of families) {
      const listing = await this.#ask(redirectedFlows(family));
      if (listing === undefined) return;
      await this.forget(orphanedFlows(listing, { family, node: of.node, services: of.services.values() }));
    }
  }

  /** Arguments of `conntrack`, as `staleFlows` tells them. */
  async forget(flows: readonly (readonly string[])[]): Promise<void> {
    const there = flows.length > UNSEEN_MAX ? await this.#thatAreThere(flows) : flows;
    if (there.length > FLOWS_MAX) {
      const reason = `${there.length} kinds of flows are to be forgotten at once, and ${FLOWS_MAX} are`;
      this.#log.warn(this.#complaint, { reason });
    }
    for (const flow of there.slice(0, FLOWS_MAX)) if ((await this.#ask(flow)) === undefined) return;
  }

  /** Of hundreds of backends that are gone, the clients of this machine have spoken to some. */
  async #thatAreThere(flows: readonly (readonly string[])[]): Promise<(readonly string[])[]> {
    const there: (readonly string[])[] = [];
    for (const [word, family] of FAMILIES) {
      const ofFamily = flows.filter((flow) => flow.includes(word));
      if (ofFamily.length === 0) continue;
      const listing = await this.#ask(knownFlows(family));
      if (listing === undefined) return there;
      for (const flow of flowsThatAreThere(listing, ofFamily)) there.push(flow);
    }
    return there;
  }

  /** What it says; undefined: it cannot be asked. */
  async #ask(flow: readonly string[]): Promise<string | undefined> {
    if (!this.#can) return undefined;
    try {
      return await this.#run(['conntrack', ...flow]);
    } catch (error) {
      const reason = messageOf(error);
      // It ends so when there was nothing to forget.
      if (reason.includes('0 flow entries')) return '';
      this.#can = !reason.includes('ENOENT');
      this.#log.warn(this.#complaint, { reason });
      return undefined;
    }
  }
}
