import type { SelfSubjectReview, TokenReview, UserInfo as ReviewedUser } from '@binnacle/api/authentication/v1';
import { formatTime } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
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
      const doubts = new Set<string>();
      const doubt = (why: string): void => void (doubts.size < DOUBTS_MAX && doubts.add(why));
      const identity = await tokens.identify(token, asked.length === 0 ? audiences : asked, doubt);
      const answer =
        identity === undefined
          ? { user: {}, error: errorOf([...doubts]) }
          : { authenticated: true, user: shown(identity.user), audiences: identity.audiences };
      return { ...review, apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', status: answer };
    },
  };
}

/** Upstream's server asks first whether the token is its own, and that answers with words of its own. */
const STRANGER = 'invalid bearer token';
/** Issuers and a webhook say one thing each; more than that nobody reads. */
const DOUBTS_MAX = 16;

function errorOf(doubts: readonly string[]): string {
  return doubts.length === 0 ? STRANGER : `[${[STRANGER, ...doubts].join(', ')}]`;
}

/** `selfsubjectreviews`: who the server takes the caller for, and when; of what was sent nothing comes back. */
export function createSelfSubjectReviewHandler(clock: Pick<Clock, 'now'>): Responder {
  return {
    handle({ user }) {
      const answer: SelfSubjectReview = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'SelfSubjectReview',
        metadata: { creationTimestamp: formatTime(clock.now()) },
        status: { userInfo: shown(user) },
      };
      return Promise.resolve(answer);
    },
  };
}

function shown({ name, uid, groups, extra }: UserInfo): ReviewedUser {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined ? {} : { extra }),
  };
}
