import { arrowsOf, lanesOf } from '@binnacle/trace';
import type { Arrow, Lane, PastRevision, TraceHop } from '@binnacle/trace';

/** Which object a story is about. */
export type StoryObject = PastRevision['about'];

/** A story as it is drawn. */
export interface Story {
  readonly arrows: readonly Arrow[];
  readonly lanes: readonly Lane[];
}

/** What in a story can be left out. */
export interface StoryChoice {
  /** Permissions and admission, which follow every request. */
  readonly checks: boolean;
  /** Watches that were opened long before. */
  readonly watches: boolean;
}

/** The arrows that are to be seen, and the lanes that they touch. */
export function storyOf(hops: readonly TraceHop[], { checks, watches }: StoryChoice): Story {
  const opened = new Set(hops.filter(({ type }) => type === 'watch').map(({ metadata }) => metadata.name));
  const arrows = arrowsOf(hops).filter(({ hop }) => {
    const isOfWatch = hop.type === 'watch' || (hop.cause.type === 'hop' && opened.has(hop.cause.hop) && isCheck(hop));
    if (isOfWatch) return watches;
    return checks || !isCheck(hop);
  });
  return { arrows, lanes: lanesOf(arrows) };
}

function isCheck({ type }: TraceHop): boolean {
  return type === 'authorization' || type === 'admission';
}

/** Hops by their names, each once, in the order in which they came: a stream tells some again when it is opened anew. */
export function mergeHops(known: readonly TraceHop[], more: readonly TraceHop[]): readonly TraceHop[] {
  const byName = new Map(known.map((hop) => [hop.metadata.name, hop]));
  for (const hop of more) byName.set(hop.metadata.name, hop);
  return [...byName.values()];
}

/** So many hops a story has at the most; of more the latest. */
export const HOPS_MAX = 5000;
