import { names } from '@binnacle/machinery';
import type { KindRules } from '../kind.ts';
import { validateApiService, validateApiServiceStatusUpdate } from './api-service/validation.ts';
import { defaultApiService } from './defaults.ts';

/** Rules of the kinds of the group apiregistration.k8s.io. */
export const REGISTRATION_KINDS: { readonly [kind: string]: KindRules } = {
  APIService: {
    nameCheck: names.pathSegmentErrors,
    defaults: defaultApiService,
    validate: validateApiService,
    validateUpdate: validateApiService,
    validateStatusUpdate: validateApiServiceStatusUpdate,
  },
};
