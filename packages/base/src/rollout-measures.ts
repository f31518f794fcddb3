/** A set of pods that is replaced in its order: how many of its pods may be unavailable, and how many are. */
export interface Rollout {
  /** `spec.podManagementPolicy`. */
  readonly policy: string;
  readonly most: number;
  readonly unavailable: number;
}

/** Who keeps score of how sets are replaced. Bounded by the sets that there are: who tells of one tells of its end. */
export interface RolloutMeasures {
  /** `set`: `namespace/name`. */
  seen(set: string, rollout: Rollout): void;
  /** There is no such set any more; it may never have been told of. */
  gone(set: string): void;
}
