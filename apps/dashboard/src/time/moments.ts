import type { TraceHop } from '@binnacle/trace';
import type { StoryObject } from '../why/story.ts';

/** A moment of the store: what one revision changed, and by whom. */
export interface Moment {
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly operation: string;
  readonly by: string;
  readonly object: StoryObject | undefined;
}

/** The commits among hops, the oldest first, each once. */
export function momentsOf(hops: readonly TraceHop[]): readonly Moment[] {
  const found = new Map<number, Moment>();
  for (const { type, revision, atMs, detail = {}, object } of hops) {
    if (type !== 'commit' || revision === undefined) continue;
    const { operation = '', by = '' } = detail as { readonly operation?: string; readonly by?: string };
    found.set(Number(revision), { revision: Number(revision), atMs, operation, by, object });
  }
  return [...found.values()].toSorted((a, b) => a.revision - b.revision);
}

/** The last moment that is no younger than a revision: what the store was like is what it made of it. */
export function momentAt(moments: readonly Moment[], revision: number): Moment | undefined {
  return moments.findLast((moment) => moment.revision <= revision);
}

/** The moment before or after a revision, among those that matter. */
export function neighbour(
  moments: readonly Moment[],
  { revision, direction, matters }: Neighbourhood,
): Moment | undefined {
  const isBeyond = (moment: Moment): boolean =>
    (direction === 'back' ? moment.revision < revision : moment.revision > revision) && matters(moment);
  return direction === 'back' ? moments.findLast(isBeyond) : moments.find(isBeyond);
}

/** The revision to which a step leads; undefined: past the last change, to now. Before the first it leads nowhere. */
export function stepFrom(moments: readonly Moment[], from: Neighbourhood): number | undefined {
  const { revision, direction } = from;
  return neighbour(moments, from)?.revision ?? (direction === 'back' ? revision : undefined);
}

/** Where somebody stands, which way he looks, and at what. */
export interface Neighbourhood {
  readonly revision: number;
  readonly direction: 'back' | 'on';
  readonly matters: (moment: Moment) => boolean;
}

/** `update pods default/web`. */
export function momentText({ operation, object }: Moment): string {
  if (object === undefined) return operation;
  const { group, resource, namespace = '', name } = object;
  return `${operation} ${group === '' ? resource : `${resource}.${group}`} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}
