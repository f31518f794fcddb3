import type { EndpointSlice } from '../generated/discovery-v1.ts';
import type { KindRules } from '../kind.ts';
import { defaultEndpointSlice } from './defaults.ts';
import { validateEndpointSlice, validateEndpointSliceUpdate } from './validation.ts';
import { endpointSliceWarnings } from './warnings.ts';

export const ENDPOINT_SLICE_RULES: KindRules<EndpointSlice> = {
  defaults: defaultEndpointSlice,
  validate: validateEndpointSlice,
  validateUpdate: validateEndpointSliceUpdate,
  warnings: endpointSliceWarnings,
};
