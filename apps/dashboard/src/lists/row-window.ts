/** Pixels, as row-table.module.css has them. */
export const ROW_HEIGHT = 34;
/** Rows that are drawn above and below what is seen: browsers scroll before they ask what is there. */
const MORE = 6;

/** Which rows are drawn. */
export interface RowWindow {
  readonly from: number;
  /** The first that is not. */
  readonly to: number;
}

/**
 * Of so many rows those around a part of the list; its place and height in pixels, the rows' own. As many wherever the part
 * is, but at the ends: what scrolls takes no row away and adds none.
 */
export function rowWindow(count: number, part: { readonly top: number; readonly height: number }): RowWindow {
  const first = Math.floor(Math.max(0, part.top) / ROW_HEIGHT);
  const seen = Math.ceil(part.height / ROW_HEIGHT) + 1;
  const to = Math.min(count, first + seen + MORE);
  return { from: Math.max(0, Math.min(first - MORE, to)), to };
}

/**
 * Numbers of the rows that are drawn, ascending: those around what is seen, and, wherever it is, the one that has the focus
 * (`held`; -1: none) between its neighbours: to these keys lead, and each is drawn between its own once the focus is there.
 */
export function drawnRows(
  { from, to }: RowWindow,
  { count, held }: { readonly count: number; readonly held: number },
): readonly number[] {
  const near = held === -1 ? [] : [held - 1, held, held + 1].filter((at) => at >= 0 && at < count);
  return [
    ...near.filter((at) => at < from),
    ...Array.from({ length: to - from }, (_, more) => from + more),
    ...near.filter((at) => at >= to),
  ];
}
