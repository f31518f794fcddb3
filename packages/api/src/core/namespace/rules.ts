import { names } from '@binnacle/machinery';
import type { Namespace } from '../../generated/core-v1.ts';
import type { KindRules } from '../../kind.ts';
import { defaultNamespace } from './defaults.ts';
import { validateNamespace, validateNamespaceStatusUpdate, validateNamespaceUpdate } from './validation.ts';

export const NAMESPACE_RULES: KindRules<Namespace> = {
  nameCheck: names.dnsLabelErrors,
  defaults: defaultNamespace,
  validate: validateNamespace,
  validateUpdate: validateNamespaceUpdate,
  validateStatusUpdate: validateNamespaceStatusUpdate,
  fields: { 'status.phase': (namespace) => namespace.status?.phase ?? '' },
};
