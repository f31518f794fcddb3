/** A value as it was, and whether it should be written anew: it rests under an old key, or in the clear. */
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
  /** What values of this resource are written with at the moment: the same object for as long as it is the same. */
  formOf(resource: string): object | undefined;
  /** Calls back when other keys read from now on than did before. */
  follow?(onChange: () => void): void;
}
