import type { Authorizer } from '../ports/authorization.ts';
import { MASTERS } from './users.ts';

const ALLOWED = { decision: 'allow', reason: '' } as const;

/** Members of `system:masters` may do everything; then the others are asked in order, the first opinion counts. */
export function createAuthorizerChain(others: readonly Authorizer[]): Authorizer {
  return {
    authorize(attributes) {
      if (attributes.user.groups.includes(MASTERS)) return ALLOWED;
      const reasons: string[] = [];
      for (const authorizer of others) {
        const answer = authorizer.authorize(attributes);
        if (answer.decision !== 'noOpinion') return answer;
        if (answer.reason !== '') reasons.push(answer.reason);
      }
      return { decision: 'noOpinion', reason: reasons.join('\n') };
    },
  };
}
