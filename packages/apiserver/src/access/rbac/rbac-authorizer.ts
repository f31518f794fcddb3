import type { AuthorizationDecision, LocalAuthorizer, RequestAttributes } from '../../ports/authorization.ts';
import type { RbacIndex, RuleSet } from './rbac-index.ts';
import { ruleAllows } from './rule-match.ts';

/** Role-based access control: allows, or has no opinion. */
export function createRbacAuthorizer(index: RbacIndex): LocalAuthorizer {
  return {
    authorize(attributes) {
      const sets = index.ruleSets(attributes.user, attributes.namespace);
      for (const set of sets) {
        const found = findAllowing(set, attributes);
        if (found !== undefined) return found;
      }
      return { decision: 'noOpinion', reason: describeErrors(sets.flatMap((set) => set.errors)) };
    },
  };
}

function findAllowing(set: RuleSet, attributes: RequestAttributes): AuthorizationDecision | undefined {
  for (const { rules, allows } of set.bound) {
    for (const rule of rules) if (ruleAllows(rule, attributes)) return allows;
  }
  return undefined;
}

function describeErrors(errors: readonly string[]): string {
  const different = [...new Set(errors)];
  if (different.length === 0) return '';
  return `RBAC: ${different.length === 1 ? different[0] : `[${different.join(', ')}]`}`;
}
