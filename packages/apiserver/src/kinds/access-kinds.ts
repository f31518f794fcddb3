import type { Access } from '../access/access.ts';
import type { ServerWorld } from '../ports/world.ts';
import {
  createAccessReviewHandler,
  createRulesReviewHandler,
  createSelfAccessReviewHandler,
} from './authorization/access-reviews.ts';
import { createSelfSubjectReviewHandler, createTokenReviewHandler } from './authentication/reviews.ts';
import type { KindBehaviours } from './behaviour.ts';
import { createBindingHandler } from './core/pods/binding.ts';
import { createEvictionHandler } from './core/pods/eviction.ts';
import { createTokenRequestHandler } from './core/service-accounts/token-request.ts';
import type { Allocations } from './core/services/allocation/allocations.ts';

export interface AccessKindsWorld {
  readonly world: Pick<ServerWorld, 'cache' | 'clock' | 'loopback' | 'update'>;
  readonly access: Pick<Access, 'tokens' | 'tokenAuthenticator' | 'audiences' | 'authorizer' | 'index'>;
  readonly allocations: Pick<Allocations, 'strategy'>;
}

/** What kinds do where there is policy: reviews, tokens, bindings, evictions, addresses of Services. */
export function accessBehaviours({ world, access, allocations }: AccessKindsWorld): KindBehaviours {
  const { tokens, tokenAuthenticator, audiences, authorizer, index } = access;
  const binding = createBindingHandler(world);
  const authentication = 'authentication.k8s.io';
  const authorization = 'authorization.k8s.io';
  const review = (kind: string) => ({ answer: createAccessReviewHandler(authorizer, kind) });
  return {
    bindings: { answer: binding },
    pods: { subresources: { binding, eviction: createEvictionHandler(world) } },
    services: { strategy: allocations.strategy },
    serviceaccounts: { subresources: { token: createTokenRequestHandler(world, tokens) } },
    [`tokenreviews.${authentication}`]: { answer: createTokenReviewHandler(tokenAuthenticator, audiences) },
    [`selfsubjectreviews.${authentication}`]: { answer: createSelfSubjectReviewHandler(world.clock) },
    [`subjectaccessreviews.${authorization}`]: review('SubjectAccessReview'),
    [`localsubjectaccessreviews.${authorization}`]: review('LocalSubjectAccessReview'),
    [`selfsubjectaccessreviews.${authorization}`]: { answer: createSelfAccessReviewHandler(authorizer) },
    [`selfsubjectrulesreviews.${authorization}`]: { answer: createRulesReviewHandler(index) },
  };
}
