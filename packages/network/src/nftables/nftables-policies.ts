import type { PolicyChanges, PolicyNetwork, PolicyState } from '../policy-rules.ts';
import { Batches } from './batches.ts';
import type { BatchOptions } from './batches.ts';
import { hasRules } from './has-rules.ts';
import { Peers } from './left-peers.ts';
import { DIRECTIONS, FAMILIES, PolicyContent, renderPolicyTable } from './policy-content.ts';
import { FlowForgetter } from '../machine/forget-flows.ts';
import type { RunTool } from '../machine/run-tool.ts';
import { flowsOf } from '../machine/stale-flows.ts';

/** What the driver works with. */
export interface NftablesPolicyOptions extends BatchOptions {
  /** Of our table: nobody else's on this machine. */
  readonly table: string;
}

/** Policies by nftables: one table for both families, there while there is a policy; one batch per change. */
export class NftablesPolicies implements PolicyNetwork {
  readonly #run: RunTool;
  readonly #ref: string;
  readonly #batches: Batches;
  readonly #flows: FlowForgetter;
  #content: PolicyContent | undefined;
  #peers = new Peers();
  /** Peers that left whose flows are still to be forgotten. */
  readonly #leaving = new Set<string>();
  #isForgetting = false;

  constructor(options: NftablesPolicyOptions) {
    this.#run = options.run;
    this.#ref = `inet ${options.table}`;
    this.#batches = new Batches(options);
    this.#flows = new FlowForgetter(
      options.run,
      options.log,
      'UDP may reach pods that it was not meant for until it pauses',
    );
  }

  async replace(state: PolicyState): Promise<void> {
    if (state.policies.size === 0 && state.pods.size === 0) return this.remove();
    const content = new PolicyContent(this.#ref);
    const { lines } = content.change(state);
    await this.#batches.replace([...renderPolicyTable(this.#ref), ...lines]);
    this.#content = content;
    this.#peers = new Peers(state.groups);
  }

  async change(changes: PolicyChanges): Promise<void> {
    if (this.#content === undefined) {
      const content = new PolicyContent(this.#ref);
      const { lines } = content.change(changes);
      await this.#batches.replace([...renderPolicyTable(this.#ref), ...lines]);
      this.#content = content;
    } else await this.#batches.change(this.#content.change(changes));
    for (const address of this.#peers.left(changes.groups)) this.#leaving.add(address);
    // Never rejects, and is waited for by nobody: each is programs that run, and the rules hold already.
    if (!this.#isForgetting) void this.#forgetLeft();
  }

  async begin(addresses: readonly string[]): Promise<void> {
    if (addresses.length > 0) await this.#flows.forget(addresses.flatMap(flowsOf));
  }

  async #forgetLeft(): Promise<void> {
    this.#isForgetting = true;
    while (this.#leaving.size > 0) {
      const all = [...this.#leaving];
      this.#leaving.clear();
      await this.begin(all);
    }
    this.#isForgetting = false;
  }

  async remove(): Promise<void> {
    await this.#batches.replace([`add table ${this.#ref}`, `delete table ${this.#ref}`]);
    this.#content = undefined;
    this.#peers = new Peers();
  }

  /** Whether the table is as we left it, as far as a glance tells. */
  async isThere(): Promise<boolean> {
    if (this.#content === undefined) return true;
    for (const direction of DIRECTIONS) {
      const maps = FAMILIES.map(([family]) => `${direction}-pods${family}`);
      if (!(await hasRules(this.#run, { table: this.#ref, name: direction, maps }))) return false;
    }
    return true;
  }
}
