/** A value as it was, and whether it should be written anew: by an old key, or in the clear. */
export interface Restored {
  readonly value: Uint8Array;
  readonly stale: boolean;
}

/**
 * How values rest in the store (encryption). Keys are the store's, `/registry/secrets/default/a`; a value is good
 * under its own key only. What keeps its keys elsewhere may promise. Throws TransformError;
 * KeyServiceAwayError where the value may be read later.
 */
export interface Transformer {
  /** Whether values of this resource (`secrets`, `deployments.apps`) rest in another form. Cheap. */
  covers(resource: string): boolean;
  toStorage(value: Uint8Array, key: string, resource: string): Uint8Array | Promise<Uint8Array>;
  fromStorage(value: Uint8Array, key: string, resource: string): Restored | Promise<Restored>;
}
