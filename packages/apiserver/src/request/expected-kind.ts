/** The kind that a body must be of. */
export interface ExpectedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Struct of the schema table. */
  readonly schema: string;
}
