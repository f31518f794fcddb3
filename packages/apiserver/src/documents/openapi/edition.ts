import type { SchemaTable } from '@binnacle/machinery';
import { hashText } from '../discovery/hash.ts';
import { allDescriptions } from './descriptions.ts';

/** What one build makes its documents of, besides the resources. */
export interface BuildSource {
  /** Of all structs. Those of custom kinds, which have a slash, come and go and are left out. */
  readonly table: SchemaTable;
  /** Of the code that writes the documents; empty: not known. */
  readonly commit: string;
}

/**
 * A short name that changes when the documents of the same resources would be others: with a schema, with a text, with
 * the code. Clients keep documents across an upgrade by it. It costs some milliseconds: to be made once, on first use.
 */
export function editionOf({ table, commit }: BuildSource, texts: unknown = allDescriptions()): string {
  const builtIn = Object.entries(table).filter(([struct]) => !struct.includes('/'));
  return hashText(`${commit} ${JSON.stringify(texts)} ${JSON.stringify(builtIn)}`);
}
