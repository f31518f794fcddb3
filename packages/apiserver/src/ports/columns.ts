import type { Int64, KubeObject } from '@binnacle/machinery';

/** Column and rows of a Table for one kind, in print/<kind>.ts. */
export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  /** The cells of one object, one per column; `now` in milliseconds since the epoch, for ages. */
  row(object: KubeObject, now: number): readonly (string | number | Int64 | boolean | null)[];
}

export interface TableColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description: string;
  /** 0: always shown; 1: with `-o wide`. */
  readonly priority: number;
}
