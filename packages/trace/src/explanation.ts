/** Why a pod went where it went, or nowhere, as `explanations.trace.binnacle.dev` shows it. */
export interface PodExplanation {
  readonly apiVersion: string;
  readonly kind: 'Explanation';
  /** Name and namespace of the pod. */
  readonly metadata: { readonly name: string; readonly namespace: string; readonly creationTimestamp: string };
  /** Of the pod: another one of its name may be there by now. Absent where whoever told of the decision did not say. */
  readonly podUid?: string;
  /** The `schedulerName` that decided. */
  readonly scheduler: string;
  /** The hop of the decision. */
  readonly hop: string;
  readonly atMs: number;
  readonly durationMs: number;
  /** Where it went; absent: nowhere, see `message`. */
  readonly node?: string;
  readonly message?: string;
  readonly nominatedNode?: string;
  /** False: what was said of each node is forgotten, or the viewer may not list nodes. */
  readonly isComplete: boolean;
  /** Nodes that fell, by filter and reason. `names` holds a hundred at the most. */
  readonly refused: readonly {
    readonly plugin: string;
    readonly reasons: readonly string[];
    readonly nodes: number;
    readonly names: readonly string[];
  }[];
  /** The nodes that passed, the best first, a hundred at the most; `by`: points by plugin, weighted. */
  readonly scored: readonly {
    readonly node: string;
    readonly total: number;
    readonly by: { readonly [plugin: string]: number };
  }[];
  /** Of a pod for which room was to be made, also once it has its node. */
  readonly preemption?: PodPreemption;
}

/** A pod by its name; absent in what a viewer is told who may not list the pods of its namespace. */
interface PodName {
  readonly namespace: string;
  readonly name: string;
}

/** What preemption looked at to make room for a pod, and what became of it. Names are the first of more; for who may not list nodes, none. */
export interface PodPreemption {
  readonly atMs: number;
  /** Why the pod may take no room from others; then no node was looked at. */
  readonly obstacle?: string;
  /** Nodes on which nothing could be gained, by reason, the most frequent first. */
  readonly unsuitable: readonly {
    readonly reason: string;
    readonly nodes: number;
    readonly names: readonly string[];
  }[];
  /** On how many nodes it was tried whether the pod fits without less important ones, and on how many more it was not, as there were candidates enough. */
  readonly tried: number;
  readonly untried: number;
  /** How many candidates there were; `listed` has the first of them, the chosen one before all. */
  readonly candidates: number;
  readonly listed: readonly {
    readonly node: string;
    readonly victims: number;
    /** The first of them that the viewer may list, the most important first. */
    readonly named: readonly (PodName & { readonly priority: number })[];
    /** How many of the victims a disruption budget protects. */
    readonly budgetViolations: number;
    /** Each counted from the lowest priority that there is. */
    readonly prioritySum: number;
    readonly highestPriority?: number;
    /** When the first of the most important victims started. */
    readonly startedAtMs?: number;
  }[];
  /** How many candidates each extender left. */
  readonly extenders: readonly { readonly name: string; readonly left: number; readonly failed: boolean }[];
  /** The criteria that were looked at, in their order, and how many candidates were the best by each. */
  readonly choice: readonly { readonly by: string; readonly left: number }[];
  /** The node that was chosen. */
  readonly chosen?: string;
  /** How many of its victims were there still when this was told. */
  readonly victimsLeft: number;
  /** What became of it, the latest last; `what` is one of the scheduler's `PreemptionEvent`. */
  readonly steps: readonly {
    readonly atMs: number;
    readonly what: string;
    readonly times: number;
    readonly pods?: number;
    readonly pod?: PodName;
    readonly node?: string;
  }[];
}

/** What a plugin gave a node; 0: it has no say there. */
export function pointsOf(by: PodExplanation['scored'][number]['by'], plugin: string): number {
  return Object.hasOwn(by, plugin) ? (by[plugin] ?? 0) : 0;
}
