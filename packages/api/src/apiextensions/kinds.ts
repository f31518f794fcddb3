import type { KindRules } from '../kind.ts';
import {
  validateDefinition,
  validateDefinitionStatusUpdate,
  validateDefinitionUpdate,
} from './custom-resource-definition/validation.ts';
import { definitionWarnings } from './custom-resource-definition/warnings.ts';
import { defaultCustomResourceDefinition } from './defaults.ts';

/** Rules of the kinds of the group apiextensions.k8s.io. */
export const EXTENSION_KINDS: { readonly [kind: string]: KindRules } = {
  CustomResourceDefinition: {
    defaults: defaultCustomResourceDefinition,
    validate: validateDefinition,
    validateUpdate: validateDefinitionUpdate,
    validateStatusUpdate: validateDefinitionStatusUpdate,
    warnings: definitionWarnings,
  },
};
