import type { FieldError, KubeObject, UserInfo } from '@binnacle/machinery';

/** What a kind's strategy decides in the pipeline beyond `KindRules`; in registry/<kind>/. All optional, all synchronous. */
export interface Strategy {
  /** What reading a new object makes of it (upstream's conversions and defaults): before it is admitted. Writes into `object`. */
  readNew?(object: KubeObject): void;
  /** Behind the plugins that change objects, before validation: clears status, sets what the server sets. Writes into `object`. */
  prepareForCreate?(object: KubeObject, caller: UserInfo): void;
  /** What the server adds to a new object in nobody's name: nobody owns it. After `prepareForCreate`; writes into `object`. */
  completeNew?(object: KubeObject): void;
  /** Before an update is admitted: keeps status, decides the generation. Writes into `object`. */
  prepareForUpdate?(object: KubeObject, before: KubeObject): void;
  /** Before a status update: keeps everything but status. */
  prepareForStatusUpdate?(object: KubeObject, before: KubeObject): void;
  /**
   * Everything else that is wrong with an object that is right by the rules of its kind; `before` is absent for a new one.
   * Asked last before the policies that only look, piece by piece where that takes long: others have their turn after each.
   */
  judge?(object: KubeObject, before: KubeObject | undefined): Promise<Judgement | undefined>;
  /**
   * Side work around the write, such as allocating a ClusterIP: after mutating admission and before validation;
   * writes into `object`. `undo` runs when the write fails, `done` (absent: nothing to do) when it is in the store.
   */
  allocate?(object: KubeObject, before: KubeObject | undefined, dryRun: boolean): Allocation | Promise<Allocation>;
  /** After a delete is in the store. */
  release?(object: KubeObject): void | Promise<void>;
  /** The status of a new object is the caller's (nodes register with theirs). */
  readonly keepsStatusOnCreate?: boolean;
  /** Warnings for the caller. */
  warnings?(object: KubeObject): readonly string[];
  /** Default deletion propagation when the caller says none. */
  readonly defaultPropagation?: 'Background' | 'Orphan';
  /** What the first deletion does to an object that it marks: the finalizer it gets, and what else changes of it. */
  readonly onDeletion?: { readonly finalizer: string; mark(object: KubeObject, now: number): void };
  /** Grace period in seconds that a delete gets when the caller gives none; pods: spec's, 0 for unscheduled ones. */
  gracePeriod?(object: KubeObject, asked: number | undefined): number;
  /** Whether an update may carry no resourceVersion. */
  readonly allowUnconditionalUpdate?: boolean;
  /** Whether PUT on a name that does not exist creates it (leases, events, …). */
  readonly allowCreateOnUpdate?: boolean;
}

/** Comes to everything that is wrong, with a rest after each piece of work. */
export type Judgement = Generator<void, readonly FieldError[]>;

/** What an allocation leaves behind; undefined when it had nothing to do. */
export type Allocation = { undo(): void | Promise<void>; done?(): void | Promise<void> } | undefined;
