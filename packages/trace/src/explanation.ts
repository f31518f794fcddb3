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
}

/** What a plugin gave a node; 0: it has no say there. */
export function pointsOf(by: PodExplanation['scored'][number]['by'], plugin: string): number {
  return Object.hasOwn(by, plugin) ? (by[plugin] ?? 0) : 0;
}
