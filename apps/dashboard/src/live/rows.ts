/** A column as the server defines it; `priority` above 0: shown when there is room. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly priority: number;
  readonly description?: string;
}

/** One object as the server prints it. */
export interface Row {
  readonly cells: readonly unknown[];
  readonly object: { readonly metadata: RowMetadata };
}

/** What of an object's metadata the lists use. */
export interface RowMetadata {
  readonly name: string;
  readonly namespace?: string;
  /** Absent: of what is kept nowhere, such as figures. */
  readonly uid?: string;
  readonly resourceVersion: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: { readonly [key: string]: string };
}

/** A Table of meta.k8s.io/v1. */
export interface Table {
  readonly columnDefinitions?: readonly Column[] | null;
  readonly rows?: readonly Row[] | null;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

/** One event of a watch. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
}

/** An object of the API, as far as every kind has it. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: RowMetadata;
  readonly [field: string]: unknown;
}

/** In which form a list is asked for, and how it is read: as the server prints it, or whole. */
export interface Reading {
  readonly accept: string;
  /** With every request of the list. */
  readonly query: string;
  /** A page of the list as a Table. */
  page(value: unknown): Table;
  /** What an event is about, as a Table. */
  event(object: unknown): Table;
}

/** As the server prints it; servers that make no Tables (some that extend the API) answer with the objects. */
export const TABLE_READING: Reading = {
  accept: 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json',
  query: 'includeObject=Metadata',
  page(value) {
    const { items, metadata = {} } = value as {
      readonly items?: readonly Row['object'][] | null;
      metadata?: Table['metadata'];
    };
    return items === undefined ? tableOf(value) : plainTable(items, metadata);
  },
  event: (object) => ('rows' in (object as object) ? tableOf(object) : plainTable([object as Row['object']])),
};

/** What every object has. */
const PLAIN: readonly Column[] = [
  { name: 'Name', type: 'string', priority: 0 },
  { name: 'Age', type: 'date', priority: 0 },
];

function plainTable(objects: readonly Row['object'][] | null, metadata: Table['metadata'] = {}): Table {
  // Nothing is kept that no list shows.
  const rows = (objects ?? []).map((object) => ({
    cells: [object.metadata.name],
    object: { metadata: object.metadata },
  }));
  return tableOf({ columnDefinitions: PLAIN, rows, metadata });
}

/** Rows without cells have none; one without metadata cannot be told from others (throws). Bookmarks have no name. */
function tableOf(value: unknown): Table {
  const table = value as Table;
  const rows = table.rows?.map((row) => {
    const { metadata } = (row.object ?? {}) as { readonly metadata?: unknown };
    if (typeof metadata !== 'object' || metadata === null) throw new TypeError('a row of a Table is of no object');
    return Array.isArray(row.cells) ? row : { ...row, cells: [] };
  });
  return { ...table, rows: rows ?? [] };
}

/** Whole objects; rows have no cells. */
export const OBJECT_READING: Reading = {
  accept: 'application/json',
  query: '',
  page(value) {
    const { items, metadata = {} } = value as {
      readonly items?: readonly ApiObject[] | null;
      readonly metadata?: Table['metadata'];
    };
    return { rows: (items ?? []).map((object) => ({ cells: [], object })), metadata };
  },
  event: (object) => ({ rows: [{ cells: [], object: object as ApiObject }] }),
};

/** What tells an object from all others of its list; objects that are kept nowhere have no uid. */
export function identityOf({ uid, namespace = '', name }: RowMetadata): string {
  return uid ?? `${namespace}/${name}`;
}

/** Rows by their objects' identity, in the order of namespace and name. Sorted anew only when one comes or goes. */
export class Rows {
  readonly #byIdentity = new Map<string, Row>();
  #order: readonly string[] | undefined;
  #sorted: readonly Row[] | undefined;

  put(row: Row): void {
    const identity = identityOf(row.object.metadata);
    if (!this.#byIdentity.has(identity)) this.#order = undefined;
    this.#byIdentity.set(identity, row);
    this.#sorted = undefined;
  }

  remove(row: Row): void {
    if (!this.#byIdentity.delete(identityOf(row.object.metadata))) return;
    this.#order = undefined;
    this.#sorted = undefined;
  }

  clear(): void {
    this.#byIdentity.clear();
    this.#order = undefined;
    this.#sorted = undefined;
  }

  get sorted(): readonly Row[] {
    this.#order ??= [...this.#byIdentity.values()].sort(compareRows).map((row) => identityOf(row.object.metadata));
    this.#sorted ??= this.#order.flatMap((identity) => this.#byIdentity.get(identity) ?? []);
    return this.#sorted;
  }
}

const collator = new Intl.Collator('en', { numeric: true });

function compareRows(a: Row, b: Row): number {
  const [left, right] = [a.object.metadata, b.object.metadata];
  return collator.compare(left.namespace ?? '', right.namespace ?? '') || collator.compare(left.name, right.name);
}
