import type { Random } from '@binnacle/base';
import type { ScoreColumn } from './evidence.ts';
import type { CandidateKinds, NodeScore, NodeTest } from './framework.ts';
import type { LocalResults } from './local-results.ts';
import type { Scorer } from './plugin-set.ts';
import type { GroupedNodes, SlotGroups } from './slot-groups.ts';
import { PASSED } from './verdicts.ts';
import type { Verdicts } from './verdicts.ts';

/** Who scores, beyond the local ones. */
export interface ActiveScorer {
  readonly scorer: Scorer;
  readonly score: NodeScore;
}

/** One node of each group is asked, and answers for all of them. */
export class GroupLook implements CandidateKinds {
  readonly groups: SlotGroups;
  /** By group: `PASSED`, or the number of the refusal. */
  readonly verdicts: Uint16Array;
  /** By place, as are the other two: the groups that passed. */
  readonly passed: Int32Array;
  readonly slots: Int32Array;
  readonly counts: Int32Array;
  readonly count: number;

  /** The groups are up to date. */
  constructor(groups: SlotGroups, tests: readonly NodeTest[], verdicts: Verdicts) {
    const { size, samples, counts } = groups;
    this.groups = groups;
    this.verdicts = new Uint16Array(size + 1);
    this.passed = new Int32Array(size);
    this.slots = new Int32Array(size);
    this.counts = new Int32Array(size);
    let count = 0;
    for (let group = 1; group <= size; group++) {
      if (counts[group] === 0) continue;
      const slot = samples[group]!;
      const refusal = firstRefusal(tests, slot);
      this.verdicts[group] = refusal === undefined ? PASSED : verdicts.idOf(refusal);
      if (refusal !== undefined) continue;
      this.passed[count] = group;
      this.slots[count] = slot;
      this.counts[count] = counts[group]!;
      count++;
    }
    this.count = count;
  }

  /** Scores the groups that passed, one at least, and chooses as `pickBest` does; returns what each plugin gave, too. */
  choose(
    { local, scorers }: { readonly local: LocalResults; readonly scorers: readonly ActiveScorer[] },
    nodes: GroupedNodes,
    random: Random,
  ): { readonly slot: number; readonly columns: readonly ScoreColumn[] } {
    const totals = new Float64Array(this.count);
    for (let i = 0; i < this.count; i++) totals[i] = this.groups.highest[this.passed[i]!]!;
    const columns: ScoreColumn[] = [];
    for (const { scorer, raw } of local.scores) {
      const { name } = scorer.plugin;
      if (scorer.plugin.normalizeScore === undefined)
        columns.push({ plugin: name, weight: scorer.weight, scores: raw, isBySlot: true });
      else columns.push(this.#column({ scorer, score: (slot) => raw[slot]! }, totals));
    }
    for (const active of scorers) columns.push(this.#column(active, totals));
    return { slot: this.groups.pickAmong(this.#best(totals), nodes, random), columns };
  }

  /** What one plugin gives each group, added to the totals. */
  #column({ scorer: { plugin, weight }, score }: ActiveScorer, totals: Float64Array): ScoreColumn {
    const { count, passed, slots } = this;
    const given = new Float64Array(count);
    for (let i = 0; i < count; i++) given[i] = score(slots[i]!);
    plugin.normalizeScore?.(given, count);
    const scores = new Float64Array(this.groups.size + 1);
    for (let i = 0; i < count; i++) {
      const one = Number.isNaN(given[i]!) ? 0 : given[i]!;
      totals[i]! += weight * one;
      scores[passed[i]!] = one;
    }
    return { plugin: plugin.name, weight, scores, isByGroup: true };
  }

  /** The groups with the highest total; of those the ones whose best nodes have the fewest pods. */
  #best(totals: Float64Array): ReadonlySet<number> {
    const { fewest } = this.groups;
    const best = new Set<number>();
    let highest = -Infinity;
    let least = Infinity;
    for (let i = 0; i < this.count; i++) {
      const group = this.passed[i]!;
      const [total, there] = [totals[i]!, fewest[group]!];
      if (total < highest || (total === highest && there > least)) continue;
      if (total > highest || there < least) best.clear();
      [highest, least] = [total, there];
      best.add(group);
    }
    return best;
  }
}

/** What the first test that refuses the node says; undefined: it passes all. */
export function firstRefusal(tests: readonly NodeTest[], slot: number): ReturnType<NodeTest> {
  for (let t = 0; t < tests.length; t++) {
    const refusal = tests[t]!(slot);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
