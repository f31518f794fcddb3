import type { KindRules } from '../kind.ts';
import { defaultFlowSchema, defaultPriorityLevel } from './defaults.ts';
import { validateFlowSchema, validateFlowSchemaStatusUpdate } from './flow-schema/validation.ts';
import { validatePriorityLevel, validatePriorityLevelStatusUpdate } from './priority-level-configuration/validation.ts';

/** Rules of the kinds of the group flowcontrol.apiserver.k8s.io. */
export const FLOW_CONTROL_KINDS: { readonly [kind: string]: KindRules } = {
  FlowSchema: {
    defaults: defaultFlowSchema,
    validate: validateFlowSchema,
    validateUpdate: validateFlowSchema,
    validateStatusUpdate: validateFlowSchemaStatusUpdate,
  },
  PriorityLevelConfiguration: {
    defaults: defaultPriorityLevel,
    validate: validatePriorityLevel,
    validateUpdate: validatePriorityLevel,
    validateStatusUpdate: validatePriorityLevelStatusUpdate,
  },
};
