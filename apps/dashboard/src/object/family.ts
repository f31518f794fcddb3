import type { Resource } from '../api/discovery.ts';
import type { ApiObject } from '../live/rows.ts';
import type { readObjects } from '../palette/read-objects.ts';
import { ownersOf } from './related.ts';
import type { OwnerReference } from './related.ts';

/** Whose it is, and how it is looked for. */
export interface FamilySearch {
  /** Of the object that is looked at. */
  readonly uid: string;
  /** Its own owners, as it says. */
  readonly owners: readonly OwnerReference[];
  /** Undefined: it is in none, and what belongs to it may be anywhere. */
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
  /** 0: it belongs to the object itself, 1: to such a one, … */
  readonly depth: number;
}

/** One of those that an object belongs to. */
export interface Owner extends OwnerReference {
  /** 0: the object's own, 1: that one's, … */
  readonly depth: number;
}

/** Whom an object belongs to, and what belongs to it, as far as it goes; each behind the one that it hangs on. */
export interface Family {
  readonly owners: readonly Owner[];
  readonly owned: readonly Owned[];
}

const DEPTH_MAX = 8;
const SHOWN_MAX = 1000;
/** Of what belongs to others so many are kept while it is looked for. */
const KEPT_MAX = 50_000;

/** Of what belongs to others no more than is shown: what their objects say besides would fill the tab. */
interface Known extends Pick<Owned, 'kind' | 'name' | 'namespace'> {
  readonly uid: string;
}

/** Looks through all objects that the viewer may list, once: who belongs to whom is said by each that belongs, and by nobody else. */
export async function findFamily(
  kinds: readonly Resource[],
  { uid, owners, namespace, signal, read }: FamilySearch,
): Promise<Family> {
  const byUid = new Map<string, readonly OwnerReference[]>();
  const byOwner = new Map<string, Known[]>();
  let kept = 0;
  const keep = (kind: Resource, object: ApiObject): void => {
    const own = ownersOf(object);
    // What belongs to the object itself is kept however many others there are.
    if (own.length === 0 || (kept++ >= KEPT_MAX && own.every((one) => one.uid !== uid))) return;
    const { name, namespace: place = '', uid: its = '' } = object.metadata;
    if (its !== '') byUid.set(its, own);
    const known = { kind, name, namespace: place, uid: its };
    for (const one of own) {
      const others = byOwner.get(one.uid);
      if (others === undefined) byOwner.set(one.uid, [known]);
      else others.push(known);
    }
  };
  const candidates = kinds.filter(({ namespaced }) => namespace === undefined || namespaced);
  await read(candidates, {
    namespace: namespace ?? '',
    signal,
    tell(objects) {
      for (const { kind, object } of objects) keep(kind, object);
    },
  });
  return {
    owners: flattened(owners, uid, (one) => ({ name: one.uid, below: byUid.get(one.uid) ?? [] })),
    owned: flattened(uid === '' ? [] : (byOwner.get(uid) ?? []), uid, (one) => ({
      name: one.uid,
      below: one.uid === '' ? [] : (byOwner.get(one.uid) ?? []),
    })).map((one) => ({ ...one, label: labelOf(one, namespace) })),
  };
}

interface Branch<T> {
  /** What comes a second time, or is the object itself, is left out: hostile owners go round in circles. Empty: it has none. */
  readonly name: string;
  readonly below: readonly T[];
}

function flattened<T extends object>(
  roots: readonly T[],
  itself: string,
  branchOf: (one: T) => Branch<T>,
): readonly (T & { readonly depth: number })[] {
  const found: (T & { readonly depth: number })[] = [];
  const seen = new Set([itself]);
  const rest = roots.map((one) => ({ one, depth: 0 })).toReversed();
  for (let next = rest.pop(); next !== undefined && found.length < SHOWN_MAX; next = rest.pop()) {
    const { one, depth } = next;
    const { name, below } = branchOf(one);
    if (name !== '' && seen.has(name)) continue;
    seen.add(name);
    found.push({ ...one, depth });
    if (depth + 1 === DEPTH_MAX) continue;
    for (const inner of below.toReversed()) rest.push({ one: inner, depth: depth + 1 });
  }
  return found;
}

function labelOf({ kind, name, namespace: place }: Known, namespace: string | undefined): string {
  return `${kind.kind} ${namespace === undefined && place !== '' ? `${place}/` : ''}${name}`;
}
