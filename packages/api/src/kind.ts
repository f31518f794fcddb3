import type { Pieces } from '@binnacle/base';
import type { FieldError, KubeObject, NameCheck } from '@binnacle/machinery';

/** A subresource of a resource as discovery lists it. */
export interface SubresourceInfo {
  readonly name: string;
  /** Where it differs from the resource's own kind: `{group: 'autoscaling', version: 'v1', kind: 'Scale'}`. */
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** A resource that the API serves. One entry per served group, version and resource. */
export interface ResourceInfo {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceInfo[];
  /** Struct of the schema table: `core.v1.Pod`. */
  readonly schema: string;
  /** Not stored: reviews and bindings, answered and forgotten; component statuses, computed when asked for. */
  readonly virtual: boolean;
  /** What follows `/registry/` in its store keys: `pods`, `services/specs`, `minions`; empty when not stored. */
  readonly storagePrefix: string;
  /** The served version that is stored, when it is another one. */
  readonly storage: { readonly group: string; readonly version: string; readonly kind: string };
  /** As discovery shows it; absent when not stored. */
  readonly storageVersionHash?: string;
}

/**
 * Reads the value of one field selector. Written as a method's type so that the rules of one kind can stand in a
 * table of all kinds: whoever looks rules up by kind calls them with objects of that kind.
 */
export type FieldValue<T extends KubeObject> = { read(object: T): string }['read'];

/** What is known of one stored kind beyond the table. All pure; all by hand. */
export interface KindRules<T extends KubeObject = KubeObject> {
  /** What names of objects must look like; a DNS subdomain where nothing is said. */
  readonly nameCheck?: NameCheck;
  /** Fills defaults in place on an object that was just built and is not shared yet. */
  defaults?(object: T): void;
  /**
   * What objects are held against is made ready, with a rest after each piece of work for others to have their turn;
   * undefined: it is. Who does not ask has it made by the first object, all at once.
   */
  ready?(): Pieces<unknown> | undefined;
  /** Of a new object, its metadata apart (see validateMetadata). */
  validate?(object: T): FieldError[];
  /** Of a change; `validate` has not run yet. */
  validateUpdate?(object: T, before: T): FieldError[];
  validateStatusUpdate?(object: T, before: T): FieldError[];
  /**
   * What `validate` finds, and with `before` what `validateUpdate` does, with a rest after each piece of work: of kinds
   * whose objects may take long to look at. Absent: none of them does.
   */
  findings?(object: T, before?: T): Pieces<FieldError[]>;
  /** Likewise of a change of the status. */
  statusFindings?(object: T, before: T): Pieces<FieldError[]>;
  /** What whoever writes the object should know of it; `before` is absent for a new one. In upstream's words. */
  warnings?(object: T, before?: T): readonly string[];
  /** Likewise of a change of the status. */
  statusWarnings?(object: T): readonly string[];
  /** Values of the field selectors that the kind supports besides metadata.name and metadata.namespace. */
  readonly fields?: { readonly [label: string]: FieldValue<T> };
}
