/** What is drawn of a long story: how it began, and what came last. */
export interface ShownArrows<T> {
  readonly first: readonly T[];
  /** Not drawn: they stand between the two. */
  readonly left: number;
  readonly last: readonly T[];
}

/** A picture holds so many arrows until somebody asks for more: each is several elements of the page. */
export const FIRST_MAX = 300;
const LAST_MAX = 100;

/** Of a story that fits, all of it; `firstMax`: how much of the beginning is wanted. */
export function shownArrows<T>(arrows: readonly T[], firstMax: number = FIRST_MAX): ShownArrows<T> {
  if (arrows.length <= firstMax + LAST_MAX) return { first: arrows, left: 0, last: [] };
  return {
    first: arrows.slice(0, firstMax),
    left: arrows.length - firstMax - LAST_MAX,
    last: arrows.slice(-LAST_MAX),
  };
}
