import type { CallContext } from '@binnacle/base';
import type { Node } from '@binnacle/api/core/v1';
import type { PodDemand } from './demand.ts';

/** What an extender leaves of the nodes that it was asked about. */
export interface ExtenderFilterResult {
  readonly kept: ReadonlySet<string>;
  /** Node name → why not; taking pods off the node might help. */
  readonly refused: ReadonlyMap<string, string>;
  /** Node name → why not, whatever is taken off the node. */
  readonly unresolvable: ReadonlyMap<string, string>;
}

/** The victims that preemption would take from one node. */
export interface NodeVictims {
  readonly pods: readonly PodDemand[];
  readonly budgetViolations: number;
}

/** Whom an extender would take from one node, by uid. */
export interface VictimsLeft {
  readonly uids: readonly string[];
  readonly budgetViolations: number;
}

/**
 * Somebody beside the scheduler who has a say in its decisions. Every method rejects with an ExtenderError when the
 * other side fails; an `ignorable` one is then passed over.
 */
export interface Extender {
  readonly name: string;
  readonly ignorable: boolean;
  /** Of its priorities, 0–10 each. */
  readonly weight: number;
  /** Whether it wants to be asked about the pod at all: it manages a resource that the pod asks for, or everything. */
  isInterested(demand: PodDemand): boolean;
  filter?(demand: PodDemand, nodes: readonly Node[], context?: CallContext): Promise<ExtenderFilterResult>;
  prioritize?(demand: PodDemand, nodes: readonly Node[], context?: CallContext): Promise<ReadonlyMap<string, number>>;
  /** Which of the candidates for preemption are left, with the victims that it names. */
  preempt?(
    demand: PodDemand,
    candidates: ReadonlyMap<string, NodeVictims>,
    context?: CallContext,
  ): Promise<ReadonlyMap<string, VictimsLeft>>;
  bind?(demand: PodDemand, node: string, context?: CallContext): Promise<void>;
}
