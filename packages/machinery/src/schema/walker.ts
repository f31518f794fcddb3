/**
 * What the walkers compiled from the schema table promise. One compiled walker per struct, made on first use
 * and kept by the registry that made it.
 */

/** What becomes of unknown and duplicate fields (`fieldValidation`). */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** What decoding makes of an input. */
export interface Decoded<T> {
  /** The object in normal form: known fields only, Go's zero values where Go's encoder writes them. Built anew. */
  readonly value: T;
  /** `unknown field "spec.replcas"`, in the order of the document; empty unless asked for. */
  readonly problems: readonly string[];
}
