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
  /** Whether an object of the right namespace is selected, as far as it can be said of the stored object. */
  matches(entry: Entry): boolean;
  /**
   * What else an object must be, in the form in which it is shown: asked only once that is made ready. Absent: nothing.
   */
  readonly shown?: (entry: Entry) => boolean;
}

/** The whole of a selection, for entries whose form is ready. */
export function wholeSelection({ shown, ...selection }: Selection): Selection {
  if (shown === undefined) return selection;
  return { ...selection, matches: (entry) => selection.matches(entry) && shown(entry) };
}
