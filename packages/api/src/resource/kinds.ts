import type { ResourceSlice } from '../generated/resource-v1.ts';
import type { KindRules } from '../kind.ts';
import { validateResourceClaimStatusUpdate } from './claim-status.ts';
import {
  validateResourceClaim,
  validateResourceClaimTemplate,
  validateResourceClaimTemplateUpdate,
  validateResourceClaimUpdate,
} from './claims.ts';
import { validateDeviceClass } from './classes.ts';
import { validateResourceSlice, validateResourceSliceUpdate } from './slices.ts';
import { defaultResourceClaim, defaultResourceClaimTemplate } from './defaults.ts';
import { resourceSliceWarnings } from './warnings.ts';

/** Rules of the kinds of the group resource.k8s.io. */
export const RESOURCE_KINDS: { readonly [kind: string]: KindRules } = {
  DeviceClass: { validate: validateDeviceClass, validateUpdate: validateDeviceClass },
  ResourceClaim: {
    defaults: defaultResourceClaim,
    validate: validateResourceClaim,
    validateUpdate: validateResourceClaimUpdate,
    validateStatusUpdate: validateResourceClaimStatusUpdate,
  },
  ResourceClaimTemplate: {
    defaults: defaultResourceClaimTemplate,
    validate: validateResourceClaimTemplate,
    validateUpdate: validateResourceClaimTemplateUpdate,
  },
  ResourceSlice: {
    validate: validateResourceSlice,
    validateUpdate: validateResourceSliceUpdate,
    warnings: resourceSliceWarnings,
    fields: {
      'spec.nodeName': (slice: ResourceSlice) => slice.spec?.nodeName ?? '',
      'spec.driver': (slice: ResourceSlice) => slice.spec?.driver ?? '',
    },
  },
};
