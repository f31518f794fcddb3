import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { Family, NodeRules, ServiceRules } from '../rules.ts';
import type { RunTool } from './run-tool.ts';
import { FLOWS_MAX, flowsThatAreThere, knownFlows, orphanedFlows, redirectedFlows } from './stale-flows.ts';

/**
 * So many are waited for in one change, as each is a program that runs; whoever lets a thousand endpoints of UDP come and go would hold
 * up all others' changes. The rest has its turn after them.
 */
const WAITED_MAX = 16;
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
    if (flows.length >= FLOWS_MAX) this.#tellOfTooMany();
    const there = flows.length > UNSEEN_MAX ? await this.#thatAreThere(flows) : flows;
    for (const flow of there.slice(0, WAITED_MAX)) if ((await this.#ask(flow)) === undefined) return;
    for (const flow of there.slice(WAITED_MAX)) {
      if (this.#later.size >= FLOWS_MAX) {
        this.#tellOfTooMany();
        break;
      }
      this.#later.set(flow.join(' '), flow);
    }
    // Never rejects: what a tool complains of is logged.
    if (!this.#isWorking) void this.#forgetLater();
  }

  #tellOfTooMany(): void {
    this.#log.warn(this.#complaint, { reason: `more than ${FLOWS_MAX} kinds of flows are to be forgotten at once` });
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
