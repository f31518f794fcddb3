/** The columns that definitions of custom kinds ask for (`additionalPrinterColumns`). */
import type { CustomResourceColumnDefinition } from '@binnacle/api/apiextensions/v1';
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
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? dateCell(value, now) : null;
    default:
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}

function dateCell(value: string, now: number): string {
  return Number.isNaN(Date.parse(value)) ? '<invalid>' : ageOf(value, now);
}
