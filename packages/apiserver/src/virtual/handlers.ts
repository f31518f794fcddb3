import type { AccountTokens } from '../auth/account-tokens.ts';
import type { RbacIndex } from '../auth/rbac-index.ts';
import type { TokenAuthenticator } from '../auth/token-authenticator.ts';
import type { Authorizer, PolicyWorld, VirtualHandler } from '../ports.ts';
import {
  createAccessReviewHandler,
  createRulesReviewHandler,
  createSelfAccessReviewHandler,
} from './access-reviews.ts';
import { createTokenReviewHandler, selfSubjectReviewHandler } from './authentication-reviews.ts';
import { createBindingHandler } from './binding.ts';
import { createEvictionHandler } from './eviction.ts';
import { createTokenRequestHandler } from './token-request.ts';

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
