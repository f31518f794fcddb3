/** The columns that definitions of custom kinds ask for (`additionalPrinterColumns`). */
import type { CustomResourceColumnDefinition } from '@binnacle/api/apiextensions/v1';
import { exactDigits, int64Of, readInt64, readTime } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { TableColumn, TablePrinter } from '../../ports/columns.ts';
import { createdAgo, NAME, nameOf } from '../../render/columns.ts';
import type { Cell } from '../../render/columns.ts';
import { ageOf } from '../../render/age.ts';
import { parseJsonPath } from './json-path.ts';

const AGE: TableColumn = {
  name: 'Age',
  type: 'date',
  description: 'How long ago the object was created.',
  priority: 0,
};

/** Name and age where the definition says nothing. Columns from one that cannot be read on are left out, as upstream does. */
export function customPrinter(columns: readonly CustomResourceColumnDefinition[] | undefined): TablePrinter {
  if (columns === undefined || columns.length === 0) {
    return { columns: [NAME, AGE], row: (object, now) => [nameOf(object), createdAgo(object, now)] };
  }
  const shown: { readonly column: TableColumn; readonly cell: (object: KubeObject, now: number) => Cell }[] = [];
  for (const column of columns) {
    const path = parseJsonPath(column.jsonPath);
    if (path === undefined) break;
    shown.push({
      column: columnOf(column),
      cell: (object, now) => cellOf(column.type, path.find(object)[0], now),
    });
  }
  return {
    columns: [NAME, ...shown.map(({ column }) => column)],
    row: (object, now) => [nameOf(object), ...shown.map(({ cell }) => cell(object, now))],
  };
}

function columnOf({
  name,
  type,
  format,
  description,
  jsonPath,
  priority,
}: CustomResourceColumnDefinition): TableColumn {
  return {
    name,
    type: type as TableColumn['type'],
    ...(format === undefined ? {} : { format }),
    description:
      description === undefined || description === ''
        ? `Custom resource definition column (in JSONPath format): ${jsonPath}`
        : description,
    priority: priority ?? 0,
  };
}

function cellOf(type: string, value: unknown, now: number): Cell {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      return integerCell(value);
    case 'number':
      return numberOf(value) ?? null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? dateCell(value, now) : null;
    default:
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}

/** With all its digits, as far as 64 bits hold them. */
function integerCell(value: unknown): Cell {
  const digits = digitsOf(value);
  const exact = digits === undefined ? undefined : readInt64(digits);
  if (exact !== undefined) return int64Of(exact) ?? null;
  const near = numberOf(value);
  return near === undefined ? null : Math.trunc(near);
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const digits = digitsOf(value);
  return digits === undefined ? undefined : Number(digits);
}

/** Of a number that no double holds. */
function digitsOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? exactDigits(value) : undefined;
}

/** Whoever writes a date in another form than RFC 3339 has written none. */
function dateCell(value: string, now: number): string {
  return readTime(value) === undefined ? '<invalid>' : ageOf(value, now);
}
