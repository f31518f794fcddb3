import { names } from '@binnacle/machinery';
import type { KindRules } from '../kind.ts';
import { defaultBinding } from './defaults.ts';
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateClusterRoleBindingUpdate,
  validateRole,
  validateRoleBinding,
  validateRoleBindingUpdate,
} from './validation.ts';

/** Names of roles and bindings are free but for what a path cannot hold. */
const nameCheck = names.pathSegmentErrors;

/** Rules of the kinds of the group rbac.authorization.k8s.io. */
export const RBAC_KINDS: { readonly [kind: string]: KindRules } = {
  Role: { nameCheck, validate: validateRole, validateUpdate: validateRole },
  ClusterRole: { nameCheck, validate: validateClusterRole, validateUpdate: validateClusterRole },
  RoleBinding: {
    nameCheck,
    defaults: defaultBinding,
    validate: validateRoleBinding,
    validateUpdate: validateRoleBindingUpdate,
  },
  ClusterRoleBinding: {
    nameCheck,
    defaults: defaultBinding,
    validate: validateClusterRoleBinding,
    validateUpdate: validateClusterRoleBindingUpdate,
  },
};
