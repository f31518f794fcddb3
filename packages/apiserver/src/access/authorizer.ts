import type { AuthorizationDecision, Authorizer, RequestAttributes } from '../ports/authorization.ts';
import { MASTERS } from './users.ts';

const ALLOWED: AuthorizationDecision = { decision: 'allow', reason: '' };
const NO_OPINION: AuthorizationDecision = { decision: 'noOpinion', reason: '' };

/**
 * Members of `system:masters` may do everything; then the others are asked in order, the first opinion counts. There
 * is a promise only from the first of them that makes one.
 */
export function createAuthorizerChain(others: readonly Authorizer[]): Authorizer {
  return {
    authorize(attributes) {
      if (attributes.user.groups.includes(MASTERS)) return ALLOWED;
      const reasons: string[] = [];
      // By hand: every request comes this way.
      for (let at = 0; at < others.length; at++) {
        const answer = others[at]?.authorize(attributes) ?? NO_OPINION;
        if (answer instanceof Promise) return goOn(answer, { others: others.slice(at + 1), attributes, reasons });
        if (answer.decision !== 'noOpinion') return answer;
        if (answer.reason !== '') reasons.push(answer.reason);
      }
      return nobodys(reasons);
    },
  };
}

interface Rest {
  readonly others: readonly Authorizer[];
  readonly attributes: RequestAttributes;
  readonly reasons: string[];
}

async function goOn(
  first: Promise<AuthorizationDecision>,
  { others, attributes, reasons }: Rest,
): Promise<AuthorizationDecision> {
  let answer = await first;
  for (const authorizer of others) {
    if (answer.decision !== 'noOpinion') return answer;
    if (answer.reason !== '') reasons.push(answer.reason);
    answer = await authorizer.authorize(attributes);
  }
  if (answer.decision !== 'noOpinion') return answer;
  if (answer.reason !== '') reasons.push(answer.reason);
  return nobodys(reasons);
}

function nobodys(reasons: readonly string[]): AuthorizationDecision {
  return { decision: 'noOpinion', reason: reasons.join('\n') };
}
