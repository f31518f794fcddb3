import type { Resource } from '../api/discovery.ts';
import type { readObjects } from '../palette/read-objects.ts';
import { ownersOf } from './related.ts';

/** Whose it is, and how it is looked for. */
export interface OwnedSearch {
  readonly uid: string;
  /** Of the owner; undefined: it is in none, and what belongs to it may be anywhere. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
  readonly read: typeof readObjects;
}

/** An object that belongs to another, where it is. */
export interface Owned {
  readonly kind: Resource;
  readonly label: string;
  readonly name: string;
  /** Empty: it is in none. */
  readonly namespace: string;
}

/** What belongs to an object, by the owners that all objects name: of those that the viewer may list. */
export async function findOwned(
  kinds: readonly Resource[],
  { uid, namespace, signal, read }: OwnedSearch,
): Promise<readonly Owned[]> {
  const owned: Owned[] = [];
  const candidates = kinds.filter(({ namespaced }) => namespace === undefined || namespaced);
  await read(candidates, {
    namespace: namespace ?? '',
    signal,
    tell(objects) {
      for (const { kind, object } of objects) {
        if (!ownersOf(object).some((owner) => owner.uid === uid)) continue;
        const { name, namespace: place = '' } = object.metadata;
        const where = namespace === undefined && place !== '' ? `${place}/` : '';
        owned.push({ kind, label: `${kind.kind} ${where}${name}`, name, namespace: place });
      }
    },
  });
  return owned;
}
