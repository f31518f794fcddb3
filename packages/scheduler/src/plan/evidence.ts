import type { Refusal } from './framework.ts';
import type { NodeColumns } from './node-columns.ts';
import type { SlotHistory } from './slot-history.ts';

/** The scores of one plugin. */
export interface ScoreColumn {
  readonly plugin: string;
  readonly weight: number;
  /** 0–100, by place, or by slot where the evidence has no places. */
  readonly scores: Float64Array;
  /** The scores are by slot although the evidence has places. */
  readonly isBySlot?: boolean;
  /** The scores are by group of nodes, and nobody writes them over. */
  readonly isByGroup?: boolean;
}

/** What was said of nodes by groups. */
export interface GroupEvidence {
  /** Of the groups by slot. */
  readonly history: SlotHistory;
  /** By group: as the verdict of a slot, where that passed; nobody writes it over. */
  readonly verdicts: Uint16Array;
}

/** What a decision rests on: what was said of every node. The columns belong to somebody else and are soon used again. */
export interface Evidence {
  readonly nodes: NodeColumns;
  /** By slot: 0 where the node passed, or the number of the refusal in the table. */
  readonly verdict: Uint16Array;
  readonly table: readonly (Refusal | undefined)[];
  /** By place: the nodes that passed. Absent: those whose verdict says so. */
  readonly slots?: Int32Array;
  readonly count: number;
  readonly columns: readonly ScoreColumn[];
  /** Of the verdicts and the first of the scores, where it tells later what they were: nobody has to copy them. */
  readonly history?: SlotHistory;
  /** What was said beyond that, where nodes were asked by groups; only along with the history. */
  readonly groups?: GroupEvidence;
}

/** How many nodes were refused for what. */
export function countRefusals({ nodes, verdict, table }: Evidence): ReadonlyMap<Refusal, number> {
  const byNumber = new Map<number, number>();
  for (let slot = 0; slot < nodes.end; slot++) {
    const number = verdict[slot]!;
    if (number === 0 || nodes.nodes[slot] === undefined) continue;
    byNumber.set(number, (byNumber.get(number) ?? 0) + 1);
  }
  const counts = new Map<Refusal, number>();
  for (const [number, count] of byNumber) {
    const refusal = table[number];
    if (refusal !== undefined) counts.set(refusal, count);
  }
  return counts;
}

/** `0/5 nodes are available: 2 Too many pods, 3 Insufficient cpu.` */
export function fitMessage(evidence: Evidence): string {
  const reasons = new Map<string, number>();
  for (const [refusal, count] of countRefusals(evidence)) {
    for (const reason of refusal.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  }
  return availability(evidence.nodes.size, reasons);
}

/** The counted reasons as one sentence, in the order of the text. */
export function availability(total: number, reasons: ReadonlyMap<string, number>): string {
  const lines = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${total} nodes are available:${lines.length === 0 ? '' : ` ${lines.join(', ')}.`}`;
}
