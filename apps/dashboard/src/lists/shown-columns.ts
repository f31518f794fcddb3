import type { Column, Row } from '../live/rows.ts';
import { ageText, cellText, madeAtMs, tellsAge } from './cell-text.ts';

/** A column of a list as it is drawn. */
export interface ShownColumn {
  readonly name: string;
  /** Of a row's cells; `NAMESPACE`: its namespace. */
  readonly at: number;
  readonly isAge: boolean;
}

/** In the place of a cell's number: no cell, but where the object is. */
export const NAMESPACE = -1;

/** Where a server names none: what leads to the object is there in any case. */
const ONLY: readonly Column[] = [{ name: '', type: 'string', priority: 0 }];
/** Letters of a cell that are drawn: nobody sees more of it in a line, and a browser measures them all. */
const DRAWN_LETTERS = 1000;

/** What is of less use is shown where it is wanted (`isWide`); objects of several namespaces say theirs, under this name. */
export function shownColumns(
  columns: readonly Column[],
  { isWide, namespace }: { readonly isWide: boolean; readonly namespace: string | undefined },
): readonly ShownColumn[] {
  const own = (columns.length === 0 ? ONLY : columns).flatMap(({ name, priority }, at) =>
    priority > 0 && !isWide && at > 0 ? [] : [{ name, at, isAge: name === 'Age' }],
  );
  return namespace === undefined ? own : [{ name: namespace, at: NAMESPACE, isAge: false }, ...own];
}

/** What a row says in a column at a moment (milliseconds since the epoch). Where it has no first cell: its object's name. */
export function shownText(row: Row, { at, isAge }: ShownColumn, nowMs: number): string {
  const { name, namespace } = row.object.metadata;
  if (at === NAMESPACE) return cellText(namespace, DRAWN_LETTERS);
  const cell = row.cells[at];
  const madeMs = isAge && tellsAge(cell) ? madeAtMs(row) : undefined;
  const text = madeMs === undefined ? cellText(cell, DRAWN_LETTERS) : ageText(madeMs, nowMs);
  return text === '' && at === 0 ? cellText(name, DRAWN_LETTERS) : text;
}

/** In the widths of letters: what the columns' least widths (16rem and 6rem, row-table.module.css) hold of the widest ones. */
const [NAME_LETTERS, LETTERS] = [18, 7];

/**
 * Whether a text may be wider than its column: only such cells are cut, as each one that is makes the browser paint and layer
 * it for itself.
 */
export function isCut(text: string, { at }: ShownColumn): boolean {
  return text.length > (at === 0 ? NAME_LETTERS : LETTERS) || !/^[ -~]*$/.test(text);
}
