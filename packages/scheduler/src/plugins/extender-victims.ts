import { ExtenderError } from '../errors.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { Extender, VictimsLeft } from '../plan/extender.ts';
import { byImportance } from './preemption-victims.ts';
import type { Candidate } from './preemption-victims.ts';

/** What an extender was asked. */
export interface VictimsQuestion {
  readonly demand: PodDemand;
  readonly extender: Pick<Extender, 'name' | 'ignorable'>;
  /** The candidates, by the name of the node, with all pods on it. */
  readonly there: ReadonlyMap<string, readonly PodDemand[]>;
  readonly nowMs: number;
}

/**
 * What an extender left of the candidates for preemption. It may name other pods of the same node, but none that is as
 * important as the pod that needs room, and not nobody: nothing would ever make the room. Throws ExtenderError where it
 * claims what cannot be.
 */
export function acceptVictims(
  { demand, extender, there, nowMs }: VictimsQuestion,
  left: ReadonlyMap<string, VictimsLeft>,
): readonly Candidate[] {
  const candidates: Candidate[] = [];
  for (const [node, { uids, budgetViolations }] of left) {
    const pods = there.get(node);
    if (pods === undefined) throw new ExtenderError(extender.name, `claims a candidate ${quoted(node)} which is none`);
    if (uids.length === 0 && extender.ignorable) continue;
    if (uids.length === 0) throw new ExtenderError(extender.name, `expected at least one victim pod on node "${node}"`);
    const byUid = new Map(pods.map((pod) => [pod.uid, pod]));
    const victims = [...new Set(uids)].map((uid) => {
      const victim = byUid.get(uid);
      const claim = `claims to preempt pod (UID: ${quoted(uid)}) on node "${node}", but the pod`;
      if (victim === undefined) throw new ExtenderError(extender.name, `${claim} is not found on that node`);
      if (victim.priority < demand.priority) return victim;
      throw new ExtenderError(extender.name, `${claim} is as important as the one that needs room`);
    });
    candidates.push({ node, victims: victims.sort(byImportance(nowMs)), budgetViolations });
  }
  return candidates;
}

/** As somebody else wrote it: not at any length. */
function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 256));
}
