import type { PolicyChanges, PolicyState } from '../policy-rules.ts';

/** Who the peers of policies are, and who of them has left: an address may be another pod's next. */
export class Peers {
  readonly #groups = new Map<string, ReadonlySet<string>>();

  constructor(groups: PolicyState['groups'] = new Map()) {
    this.left(groups);
  }

  /** Takes changes in; the addresses that groups have no more which are asked for still, each once. */
  left(groups: PolicyChanges['groups']): readonly string[] {
    const left = new Set<string>();
    for (const [id, addresses] of groups) {
      const before = this.#groups.get(id);
      if (addresses === undefined) this.#groups.delete(id);
      else {
        this.#groups.set(id, addresses);
        for (const address of before ?? []) if (!addresses.has(address)) left.add(address);
      }
    }
    return [...left];
  }
}
