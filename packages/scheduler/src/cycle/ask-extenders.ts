import type { Node } from '@binnacle/api/core/v1';
import type { CallContext } from '@binnacle/base';
import { ExtenderError } from '../errors.ts';
import { MAX_NODE_SCORE } from '../plan/framework.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { ScoreColumn } from '../plan/evidence.ts';
import type { Extender, ExtenderFilterResult } from '../plan/extender.ts';
import type { NodeColumns } from '../plan/node-columns.ts';
import type { Scratch } from '../plan/scratch.ts';

/** What an extender gives at most. */
const EXTENDER_PRIORITY_MAX = 10;
/** So many different reasons of one answer are told apart: they are kept, counted and shown. */
const REASONS_MAX = 50;

interface Asking {
  readonly demand: PodDemand;
  readonly state: { readonly nodes: NodeColumns };
  readonly scratch: Scratch;
  readonly context: CallContext;
}

function candidateNodes({ state, scratch }: Asking, count: number): Node[] {
  const nodes: Node[] = [];
  for (let i = 0; i < count; i++) {
    const node = state.nodes.nodes[scratch.feasible[i]!];
    if (node !== undefined) nodes.push(node);
  }
  return nodes;
}

/** Asks one after the other; each sees what the one before it left. Returns how many candidates remain. */
export async function askFilters(asking: Asking, extenders: readonly Extender[], count: number): Promise<number> {
  let left = count;
  for (const extender of extenders) {
    if (extender.filter === undefined || left === 0) continue;
    const nodes = candidateNodes(asking, left);
    try {
      left = takeOver(asking, left, {
        extender: extender.name,
        result: await extender.filter(asking.demand, nodes, asking.context),
      });
    } catch (error) {
      if (!extender.ignorable) throw error;
    }
  }
  return left;
}

function takeOver(
  { state, scratch }: Asking,
  count: number,
  { extender, result }: { readonly extender: string; readonly result: ExtenderFilterResult },
): number {
  let kept = 0;
  const reasons = new Set<string>();
  const unnamed = `node(s) were refused by extender ${extender}`;
  for (let i = 0; i < count; i++) {
    const slot = scratch.feasible[i]!;
    const name = state.nodes.nameOf(slot);
    if (result.kept.has(name)) {
      scratch.feasible[kept++] = slot;
      continue;
    }
    const hard = result.unresolvable.get(name);
    const told = hard ?? result.refused.get(name) ?? unnamed;
    const reason = reasons.size < REASONS_MAX || reasons.has(told) ? told : unnamed;
    reasons.add(reason);
    scratch.verdict[slot] = scratch.verdicts.idOf({
      plugin: extender,
      reasons: [reason],
      unresolvable: hard !== undefined,
    });
  }
  return kept;
}

/** Asks all at once, and adds what they say to the totals. An extender that fails has no preference. */
export async function askPriorities(
  asking: Asking,
  extenders: readonly Extender[],
  count: number,
): Promise<ScoreColumn[]> {
  const asked = extenders.filter((e) => e.prioritize !== undefined);
  if (count === 0 || asked.length === 0) return [];
  const nodes = candidateNodes(asking, count);
  const answers = await Promise.all(asked.map((extender) => priorities(extender, asking, nodes)));
  return answers.map((answer, index) => {
    const { name, weight } = asked[index]!;
    const scores = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      const given = answer.get(asking.state.nodes.nameOf(asking.scratch.feasible[i]!)) ?? 0;
      scores[i] = given * (MAX_NODE_SCORE / EXTENDER_PRIORITY_MAX);
      asking.scratch.total[i]! += scores[i]! * weight;
    }
    return { plugin: name, weight, scores };
  });
}

async function priorities(
  extender: Extender,
  { demand, context }: Asking,
  nodes: readonly Node[],
): Promise<ReadonlyMap<string, number>> {
  try {
    return (await extender.prioritize?.(demand, nodes, context)) ?? new Map();
  } catch (error) {
    if (error instanceof ExtenderError) return new Map();
    throw error;
  }
}
