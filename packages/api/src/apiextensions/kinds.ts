import { atOnce } from '@binnacle/base';
import type { CustomResourceDefinition } from '../generated/apiextensions-v1.ts';
import type { KindRules } from '../kind.ts';
import {
  definitionFindings,
  definitionUpdateFindings,
  validateDefinitionStatusUpdate,
} from './custom-resource-definition/validation.ts';
import { definitionWarnings } from './custom-resource-definition/warnings.ts';
import { defaultCustomResourceDefinition } from './defaults.ts';

const DEFINITION: KindRules<CustomResourceDefinition> = {
  defaults: defaultCustomResourceDefinition,
  findings: (definition, before) =>
    before === undefined ? definitionFindings(definition) : definitionUpdateFindings(definition, before),
  validate: (definition) => atOnce(definitionFindings(definition)),
  validateUpdate: (definition, before) => atOnce(definitionUpdateFindings(definition, before)),
  validateStatusUpdate: validateDefinitionStatusUpdate,
  warnings: definitionWarnings,
};

/** Rules of the kinds of the group apiextensions.k8s.io. */
export const EXTENSION_KINDS: { readonly [kind: string]: KindRules } = {
  CustomResourceDefinition: DEFINITION,
};
