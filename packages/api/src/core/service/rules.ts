import { names } from '@binnacle/machinery';
import type { Service } from '../../generated/core-v1.ts';
import type { KindRules } from '../../kind.ts';
import { defaultService } from './defaults.ts';
import { validateService, validateServiceStatusUpdate, validateServiceUpdate } from './validation.ts';
import { loadBalancerWarnings, serviceWarnings } from './warnings.ts';

export const SERVICE_RULES: KindRules<Service> = {
  nameCheck: names.dns1035LabelErrors,
  defaults: defaultService,
  validate: validateService,
  validateUpdate: validateServiceUpdate,
  validateStatusUpdate: validateServiceStatusUpdate,
  warnings: serviceWarnings,
  statusWarnings: loadBalancerWarnings,
  fields: {
    'spec.clusterIP': (service) => service.spec?.clusterIP ?? '',
    'spec.type': (service) => service.spec?.type ?? '',
  },
};
