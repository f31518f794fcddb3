/** The kind that a body must be of. */
export interface ExpectedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Struct of the schema table. */
  readonly schema: string;
  /** Whether a body may say that it is of this `group/version`; absent: of its own only. */
  readonly isVersion?: (apiVersion: string) => boolean;
}
