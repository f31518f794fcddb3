import type { SubresourceInfo } from './kind.ts';

/** What the API's paths say of a resource; the generator writes these rows. */
export interface ResourceFacts {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceInfo[];
  /** Absent for what is not stored. */
  readonly storage?: { readonly group: string; readonly version: string };
  readonly storageVersionHash?: string;
  /** Served only where it is asked for (`--runtime-config`). */
  readonly onRequest?: true;
}
