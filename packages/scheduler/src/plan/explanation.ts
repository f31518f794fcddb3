import type { Decision } from './decide.ts';
import type { NodeColumns } from './node-columns.ts';

/** One decision as a person wants to read it. */
export interface Explanation {
  readonly pod: string;
  readonly at: number;
  readonly node?: string;
  readonly message?: string;
  /** Reason → how many nodes, with the filter that said so. */
  readonly refused: readonly { readonly plugin: string; readonly reasons: readonly string[]; readonly nodes: number }[];
  /** The best nodes, highest total first. */
  readonly scored: readonly {
    readonly node: string;
    readonly total: number;
    readonly by: { readonly [plugin: string]: number };
  }[];
}

const KEPT_NODES = 20;

/** Turns a decision into its explanation; at most the 20 best nodes are kept. */
export function explain(decision: Decision, nodes: NodeColumns, about: { pod: string; at: number }): Explanation {
  const { pod, at } = about;
  const refused = [...decision.refusals].map(([r, count]) => ({ plugin: r.plugin, reasons: r.reasons, nodes: count }));
  if (decision.kind === 'unplaced') return { pod, at, message: decision.message, refused, scored: [] };
  const scored = [...decision.feasible].map((slot, place) => {
    const by: Record<string, number> = {};
    let total = 0;
    for (const { plugin, weight, scores } of decision.scores) {
      by[plugin] = (scores[place] ?? 0) * weight;
      total += by[plugin];
    }
    return { node: nodes.nameOf(slot), total, by };
  });
  scored.sort((a, b) => b.total - a.total);
  return { pod, at, node: decision.node, refused, scored: scored.slice(0, KEPT_NODES) };
}

/** The latest explanations, oldest forgotten first. */
export class ExplanationLog {
  readonly #bound: number;
  readonly #byPod = new Map<string, Explanation>();

  constructor(bound: number) {
    this.#bound = bound;
  }

  put(explanation: Explanation): void {
    this.#byPod.delete(explanation.pod);
    this.#byPod.set(explanation.pod, explanation);
    if (this.#byPod.size <= this.#bound) return;
    const oldest = this.#byPod.keys().next().value;
    if (oldest !== undefined) this.#byPod.delete(oldest);
  }

  get(pod: string): Explanation | undefined {
    return this.#byPod.get(pod);
  }
}
