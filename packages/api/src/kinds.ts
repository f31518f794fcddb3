import { APPS_KINDS } from './apps/kinds.ts';
import { validateLease } from './coordination/lease-validation.ts';
import { GROUP_EVENT_RULES } from './core/event/rules.ts';
import { CORE_KINDS } from './core/kinds.ts';
import type { KindRules } from './kind.ts';
import { OTHER_KINDS } from './other-kinds.ts';
import { RBAC_KINDS } from './rbac/kinds.ts';

const KINDS: { readonly [group: string]: { readonly [kind: string]: KindRules } } = {
  ...OTHER_KINDS,
  '': CORE_KINDS,
  apps: APPS_KINDS,
  'coordination.k8s.io': { Lease: { validate: validateLease, validateUpdate: validateLease } },
  'events.k8s.io': { Event: GROUP_EVENT_RULES },
  'rbac.authorization.k8s.io': RBAC_KINDS,
};

const NO_RULES: KindRules = {};

/**
 * What is known of a kind beyond the schema table: defaults, validation, field selectors. Objects are in the form
 * that is stored: the rules of events.k8s.io's Event take core Events and are stricter than the core group's. A
 * kind without rules has empty ones.
 */
export function kindRules(group: string, kind: string): KindRules {
  return KINDS[group]?.[kind] ?? NO_RULES;
}
