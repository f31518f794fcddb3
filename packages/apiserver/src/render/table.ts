import type { KubeObject } from '@binnacle/machinery';
import type { TableColumn, TablePrinter } from '../ports/columns.ts';
import type { Reply, ServedResource } from '../catalogue/definition.ts';
import { partialObject } from './partial.ts';
import { ageOf } from './age.ts';

const DEFAULT_PRINTER: TablePrinter = {
  columns: [
    {
      name: 'Name',
      type: 'string',
      format: 'name',
      description: 'Name of the object, unique in its namespace.',
      priority: 0,
    },
    { name: 'Age', type: 'date', description: 'How long ago the object was created.', priority: 0 },
  ],
  row: (object, now) => [object.metadata.name ?? '', ageOf(object.metadata.creationTimestamp, now)],
};

export interface TableOptions {
  readonly objects: readonly KubeObject[];
  /** Of the Table. */
  readonly metadata: object;
  readonly metaVersion: string;
  readonly includeObject: string;
  /** Milliseconds since the epoch: ages count from here. */
  readonly now: number;
}

/** A reply as rows for people: `kubectl get` prints them as they are. */
export function tableOf(reply: Exclude<Reply, { kind: 'watch' | 'text' }>, options: TableOptions): object {
  const served = 'served' in reply ? reply.served : undefined;
  const columns = reply.kind === 'object' ? reply.columns : undefined;
  return table(columns ?? printerOf(served, options.objects[0]), options.objects, options);
}

/** One object of a watch. */
export interface RowOptions {
  readonly now: number;
  readonly object: KubeObject;
  readonly metaVersion: string;
  readonly includeObject: string;
  readonly first: boolean;
}

/** One object of a watch as a Table; the columns come with the first one only. */
export function tableRow(served: ServedResource, at: RowOptions): object {
  return printedRow(printerOf(served, at.object), at);
}

/** The same by these columns. */
export function printedRow(printer: TablePrinter, at: RowOptions): object {
  const { resourceVersion } = at.object.metadata;
  const whole = table(printer, [at.object], {
    ...at,
    metadata: { resourceVersion },
  });
  return at.first ? whole : { ...whole, columnDefinitions: null };
}

function table(
  printer: TablePrinter,
  objects: readonly KubeObject[],
  options: {
    readonly metaVersion: string;
    readonly includeObject: string;
    readonly metadata: object;
    readonly now: number;
  },
): object {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${options.metaVersion}`,
    metadata: options.metadata,
    columnDefinitions: printer.columns.map(definition),
    rows: objects.map((object) => ({
      cells: printer.row(object, options.now),
      ...rowObject(object, options),
    })),
  };
}

function definition({ name, type, format, description, priority }: TableColumn): object {
  return { name, type, format: format ?? '', description, priority };
}

function rowObject(object: KubeObject, options: { metaVersion: string; includeObject: string }): object {
  if (options.includeObject === 'None') return { object: null };
  if (options.includeObject === 'Object') return { object };
  return { object: partialObject(object, options.metaVersion) };
}

function printerOf(served: ServedResource | undefined, sample: KubeObject | undefined): TablePrinter {
  if (served === undefined || sample?.kind !== served.info.kind) {
    if (sample !== undefined || served === undefined) return DEFAULT_PRINTER;
  }
  return served.columns ?? DEFAULT_PRINTER;
}
