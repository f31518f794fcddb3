import type { Column, Row } from '../live/rows.ts';
import { cellText, madeAtMs, tellsAge } from './cell-text.ts';

/** Which column rows are in the order of. */
export interface Order {
  readonly column: string;
  readonly isDown: boolean;
}

/** `Age`, or `-Age` for the other way round; undefined: the order of their names. */
export function readOrder(sort: string): Order | undefined {
  if (sort === '' || sort === '-') return undefined;
  return sort.startsWith('-') ? { column: sort.slice(1), isDown: true } : { column: sort, isDown: false };
}

/** What a further click on a column's head leads to: up, down, by name again. */
export function nextSort(sort: string, column: string): string {
  const order = readOrder(sort);
  if (order?.column !== column) return column;
  return order.isDown ? '' : `-${column}`;
}

const collator = new Intl.Collator('en', { numeric: true });

/**
 * Rows in the order of a column's cells, numbers in texts as numbers; ages by when the objects were made, the youngest first.
 * What is equal stays as it was, and so does everything where there is no such column.
 */
export function sortRows(rows: readonly Row[], columns: readonly Column[], sort: string): readonly Row[] {
  const order = readOrder(sort);
  const at = columns.findIndex(({ name }) => name === order?.column);
  if (order === undefined || at === -1) return rows;
  const direction = order.isDown ? -1 : 1;
  const isAge = order.column === 'Age';
  const keyOf = (row: Row): string | number =>
    isAge && tellsAge(row.cells[at]) ? -(madeAtMs(row) ?? 0) : cellKey(row.cells[at]);
  const keyed = rows.map((row) => ({ row, key: keyOf(row) }));
  return keyed.toSorted((a, b) => direction * compare(a.key, b.key)).map(({ row }) => row);
}

function cellKey(cell: unknown): string | number {
  return typeof cell === 'number' ? cell : cellText(cell);
}

function compare(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
}
