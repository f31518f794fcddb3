import type { Entry } from './entry.ts';

/** Which objects a list, watch or deletecollection is about. */
export interface Selection {
  /** '' for all namespaces, and for cluster-scoped resources. */
  readonly namespace: string;
  /** The one object that it can be about, as the cache knows it (`namespace/name`); undefined: any. */
  readonly key: string | undefined;
  /** The one value allowed of the cache's indexed field. */
  readonly indexed: string | undefined;
  /** Whether labels or fields narrow it at all. */
  readonly narrowed: boolean;
  /** Whether an object of the right namespace is selected. */
  matches(entry: Entry): boolean;
}
