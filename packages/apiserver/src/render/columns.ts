import type { Int64, KubeObject } from '@binnacle/machinery';
import { ageOf, shortDuration } from './age.ts';
import type { TableColumn, TablePrinter } from '../ports/columns.ts';

export type Cell = string | number | Int64 | boolean | null;

/** A printer whose rows are of one kind. */
export function printer<T extends KubeObject>(
  columns: readonly TableColumn[],
  row: (object: T, now: number) => readonly Cell[],
): TablePrinter {
  // The registry hands a printer only objects of the resource it is registered for.
  return { columns, row: (object, now) => row(object as T, now) };
}

export const NAME: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object, unique in its namespace.',
  priority: 0,
};

export const AGE: TableColumn = text('Age', 'How long ago the object was created.');

export function text(name: string, description: string): TableColumn {
  return { name, type: 'string', description, priority: 0 };
}

export function integer(name: string, description: string): TableColumn {
  return { name, type: 'integer', description, priority: 0 };
}

export function boolean(name: string, description: string): TableColumn {
  return { name, type: 'boolean', description, priority: 0 };
}

/** Shown with `-o wide` only. */
export function wide(column: TableColumn): TableColumn {
  return { ...column, priority: 1 };
}

export function nameOf(object: KubeObject): string {
  return object.metadata.name ?? '';
}

/** The age cell. */
export function createdAgo(object: KubeObject, now: number): string {
  return since(object.metadata.creationTimestamp, now);
}

/** How long ago a time was: `5m`, `<unknown>` for none. */
export function since(time: string | null | undefined, now: number): string {
  return ageOf(time ?? undefined, now);
}

/** From one time to another, or to now. */
export function between(from: string, to: string | null | undefined, now: number): string {
  return shortDuration((to === undefined || to === null ? now : Date.parse(to)) - Date.parse(from));
}

/** Joined by commas; `<none>` for nothing. */
export function listed(items: readonly string[]): string {
  return items.length === 0 ? '<none>' : items.join(',');
}

export function orNone(value: string | null | undefined): string {
  return value === undefined || value === null || value === '' ? '<none>' : value;
}

/** `a=b,c=d` in the order of the keys. */
export function labelsText(labels: { readonly [key: string]: string } | undefined): string {
  const entries = Object.entries(labels ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return listed(entries.map(([key, value]) => `${key}=${value}`));
}
