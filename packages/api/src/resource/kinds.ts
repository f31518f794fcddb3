import type { ResourceSlice } from '../generated/resource-v1.ts';
import type { KindRules } from '../kind.ts';
import { defaultResourceClaim, defaultResourceClaimTemplate } from './defaults.ts';
import { resourceSliceWarnings } from './warnings.ts';

/** Rules of the kinds of the group resource.k8s.io. */
export const RESOURCE_KINDS: { readonly [kind: string]: KindRules } = {
  ResourceClaim: { defaults: defaultResourceClaim },
  ResourceClaimTemplate: { defaults: defaultResourceClaimTemplate },
  ResourceSlice: {
    warnings: resourceSliceWarnings,
    fields: {
      'spec.nodeName': (slice: ResourceSlice) => slice.spec?.nodeName ?? '',
      'spec.driver': (slice: ResourceSlice) => slice.spec?.driver ?? '',
    },
  },
};
