import type { ScopedResourceSelectorRequirement } from '@binnacle/api/core/v1';

/** What may be used only where a quota covers it. */
export interface LimitedResource {
  /** Empty: the core group. */
  readonly apiGroup: string;
  readonly resource: string;
  /** Amounts whose names contain one of these. */
  readonly matchContains: readonly string[];
  /** Scopes that a quota has to be about. */
  readonly matchScopes: readonly ScopedResourceSelectorRequirement[];
}
