import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { Family, NodeRules, ServiceRules } from '../rules.ts';
import type { RunTool } from './run-tool.ts';
import { FLOWS_MAX, orphanedFlows, redirectedFlows } from './stale-flows.ts';

/**
 * So many are waited for in one change, as each is a program that runs; whoever lets a thousand endpoints of UDP come and go would hold
 * up all others' changes. The rest has its turn after them.
 */
const WAITED_MAX = 16;

/** Has the kernel forget connections, by the machine's `conntrack`; where that is not installed, says so once. */
export class FlowForgetter {
  readonly #run: RunTool;
  readonly #log: Logger;
  #can = true;
  #hasBegun = false;
  readonly #complaint: string;
  /** What has its turn later, each once. */
  readonly #later = new Map<string, readonly string[]>();
  #isWorking = false;

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

  /** Arguments of `conntrack`, as `staleFlows` tells them. Resolves when the first of them are forgotten. */
  async forget(flows: readonly (readonly string[])[]): Promise<void> {
    for (const flow of flows.slice(0, WAITED_MAX)) if ((await this.#ask(flow)) === undefined) return;
    for (const flow of flows.slice(WAITED_MAX)) {
      if (this.#later.size >= FLOWS_MAX) break;
      this.#later.set(flow.join(' '), flow);
    }
    // Never rejects: what a tool complains of is logged.
    if (!this.#isWorking) void this.#forgetLater();
  }

  async #forgetLater(): Promise<void> {
    this.#isWorking = true;
    for (const [text, flow] of this.#later) {
      this.#later.delete(text);
      if ((await this.#ask(flow)) === undefined) this.#later.clear();
    }
    this.#isWorking = false;
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
