import { controllerOf, matchesLabels } from '@binnacle/machinery';
import type { KubeObject, Selector } from '@binnacle/machinery';

/** What an owner should do about the objects that are its own or could be. */
export interface Claim<T> {
  readonly owned: readonly T[];
  /** Match the selector and have no controller. */
  readonly adopt: readonly T[];
  /** Are owned but match no longer. */
  readonly release: readonly T[];
}

/**
 * Sorts candidates as every controller with a selector does: an object of another controller is left alone; one of
 * ours that no longer matches is released; one of nobody's that matches is adopted. Nothing is adopted or released
 * for an owner that is being deleted, and nothing that is being deleted is adopted.
 */
export function decideClaim<T extends KubeObject>(
  owner: KubeObject,
  selector: Selector,
  candidates: Iterable<T>,
): Claim<T> {
  const owned: T[] = [];
  const adopt: T[] = [];
  const release: T[] = [];
  const leaving = owner.metadata.deletionTimestamp !== undefined;
  for (const object of candidates) {
    const controller = controllerOf(object);
    const matches = matchesLabels(selector, object.metadata.labels);
    if (controller !== undefined) {
      if (controller.uid !== owner.metadata.uid) continue;
      if (matches) owned.push(object);
      else if (!leaving) release.push(object);
    } else if (matches && !leaving && object.metadata.deletionTimestamp === undefined) {
      adopt.push(object);
    }
  }
  return { owned, adopt, release };
}
