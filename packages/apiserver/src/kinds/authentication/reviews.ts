import type { SelfSubjectReview, TokenReview, UserInfo as ReviewedUser } from '@binnacle/api/authentication/v1';
import { status } from '@binnacle/machinery';
import type { UserInfo } from '@binnacle/machinery';
import type { TokenAuthenticator } from '../../access/token-authenticator.ts';
import type { Responder } from '../../ports/responder.ts';

/** `tokenreviews`: whose token this is, for servers that are handed tokens of ours. */
export function createTokenReviewHandler(tokens: TokenAuthenticator, audiences: readonly string[]): Responder {
  return {
    async handle({ body }) {
      const review = body as TokenReview;
      const { token = '', audiences: asked = [] } = review.spec;
      if (token === '') throw status.badRequest('token is required for TokenReview in authentication');
      const identity = await tokens.identify(token, asked.length === 0 ? audiences : asked);
      const answer =
        identity === undefined
          ? { user: {}, error: 'invalid bearer token' }
          : { authenticated: true, user: shown(identity.user), audiences: identity.audiences };
      return { ...review, apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', status: answer };
    },
  };
}

/** `selfsubjectreviews`: who the server takes the caller for. */
export const selfSubjectReviewHandler: Responder = {
  handle({ body, user }) {
    const review = body as SelfSubjectReview;
    const answer: SelfSubjectReview = {
      ...review,
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
      status: { userInfo: shown(user) },
    };
    return Promise.resolve(answer);
  },
};

function shown({ name, uid, groups, extra }: UserInfo): ReviewedUser {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined ? {} : { extra }),
  };
}
