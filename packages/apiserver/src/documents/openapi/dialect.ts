export type JsonObject = { readonly [key: string]: unknown };

/** The two dialects differ in how they refer to definitions, and in a few leaves. */
export interface Dialect {
  readonly version: 2 | 3;
  readonly refPrefix: string;
}

export const V2: Dialect = { version: 2, refPrefix: '#/definitions/' };
export const V3: Dialect = { version: 3, refPrefix: '#/components/schemas/' };
