import type { DomainView } from './framework.ts';
import { SlotGroups } from './slot-groups.ts';
import type { GroupedNodes, GroupedResults } from './slot-groups.ts';

/** The groups of nodes for pods of one shape, kept from one to the next that looks at the same. */
export class Grouping {
  #views: readonly DomainView[] = [];
  #groups: SlotGroups | undefined;
  /** The nodes are too unlike, as far as these are looked at. */
  #isHopeless = false;

  /**
   * Up to date with the local results, which are to be up to date. Undefined: each node is to be asked, as the nodes are too
   * unlike, or as it is the first time that this is looked at: making groups costs more than one round of all nodes.
   */
  groupsFor(local: GroupedResults, views: readonly DomainView[], nodes: GroupedNodes): SlotGroups | undefined {
    if (!areSame(views, this.#views)) {
      this.#views = views;
      this.#groups = undefined;
      this.#isHopeless = false;
      return undefined;
    }
    if (this.#isHopeless) return undefined;
    if (this.#groups?.refresh(nodes) === true) return this.#groups;
    this.#groups = SlotGroups.of(local, views, nodes);
    if (this.#groups?.refresh(nodes) === true) return this.#groups;
    this.#isHopeless = true;
    return undefined;
  }
}

/** Counts that were made anew are in another array. */
function areSame(some: readonly DomainView[], others: readonly DomainView[]): boolean {
  if (some.length === 0 || some.length !== others.length) return false;
  for (let i = 0; i < some.length; i++) {
    const [a, b] = [some[i]!, others[i]!];
    if (a.topology !== b.topology || a.sums !== b.sums || a.presenceOnly !== b.presenceOnly) return false;
  }
  return true;
}
