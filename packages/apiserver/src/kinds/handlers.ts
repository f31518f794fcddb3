import type { AccountTokens } from '../access/account-tokens.ts';
import type { RbacIndex } from '../access/rbac/rbac-index.ts';
import type { TokenAuthenticator } from '../access/token-authenticator.ts';
import type { Authorizer } from '../ports/authorization.ts';
import type { VirtualHandler } from '../ports/by-hand.ts';
import type { PolicyWorld } from '../ports/policy.ts';
import {
  createAccessReviewHandler,
  createRulesReviewHandler,
  createSelfAccessReviewHandler,
} from './authorization/access-reviews.ts';
import { createTokenReviewHandler, selfSubjectReviewHandler } from './authentication/reviews.ts';
import { createBindingHandler } from './core/pods/binding.ts';
import { createEvictionHandler } from './core/pods/eviction.ts';
import { createTokenRequestHandler } from './core/service-accounts/token-request.ts';

export interface VirtualWorld {
  readonly world: PolicyWorld;
  readonly tokens: AccountTokens;
  readonly tokenAuthenticator: TokenAuthenticator;
  readonly audiences: readonly string[];
  readonly authorizer: Authorizer;
  readonly index: RbacIndex;
}

/** The handlers of all virtual resources, by `resource[/subresource][.group]`. */
export function createVirtualHandlers(parts: VirtualWorld): ReadonlyMap<string, VirtualHandler> {
  const { world, tokens, tokenAuthenticator, audiences, authorizer, index } = parts;
  const binding = createBindingHandler(world);
  const authentication = 'authentication.k8s.io';
  const authorization = 'authorization.k8s.io';
  return new Map([
    ['pods/binding', binding],
    ['bindings', binding],
    ['pods/eviction', createEvictionHandler(world)],
    ['serviceaccounts/token', createTokenRequestHandler(world, tokens)],
    [`tokenreviews.${authentication}`, createTokenReviewHandler(tokenAuthenticator, audiences)],
    [`selfsubjectreviews.${authentication}`, selfSubjectReviewHandler],
    [`subjectaccessreviews.${authorization}`, createAccessReviewHandler(authorizer, 'SubjectAccessReview')],
    [`localsubjectaccessreviews.${authorization}`, createAccessReviewHandler(authorizer, 'LocalSubjectAccessReview')],
    [`selfsubjectaccessreviews.${authorization}`, createSelfAccessReviewHandler(authorizer)],
    [`selfsubjectrulesreviews.${authorization}`, createRulesReviewHandler(index)],
  ]);
}
