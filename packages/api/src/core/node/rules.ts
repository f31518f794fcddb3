import type { Node } from '../../generated/core-v1.ts';
import type { KindRules } from '../../kind.ts';
import { defaultNode } from './defaults.ts';
import { validateNode, validateNodeUpdate } from './validation.ts';
import { nodeWarnings } from '../warnings.ts';

export const NODE_RULES: KindRules<Node> = {
  defaults: defaultNode,
  validate: validateNode,
  validateUpdate: validateNodeUpdate,
  validateStatusUpdate: validateNodeUpdate,
  warnings: nodeWarnings,
  fields: { 'spec.unschedulable': (node) => String(node.spec?.unschedulable ?? false) },
};
