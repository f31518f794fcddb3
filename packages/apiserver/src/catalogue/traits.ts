/** What upstream decides per resource by hand and is the same mechanism for each: data, not code. */
export interface Traits {
  /** `metadata.generation` counts the changes of the spec. */
  readonly generation: boolean;
  /** PUT without resourceVersion overwrites. */
  readonly unconditionalUpdate: boolean;
  /** PUT on a name that does not exist creates it. */
  readonly createOnUpdate: boolean;
  /** DELETE answers with the object in place of a Status. */
  readonly returnsDeleted: boolean;
  /** Deletion leaves the dependents unless the caller says otherwise. */
  readonly orphansByDefault: boolean;
  /** Seconds after which an object goes away by itself; 0: never. */
  readonly ttlSeconds: number;
}

/** What holds where a definition says nothing else. */
export const PLAIN_TRAITS: Traits = {
  generation: false,
  unconditionalUpdate: true,
  createOnUpdate: false,
  returnsDeleted: false,
  orphansByDefault: false,
  ttlSeconds: 0,
};
