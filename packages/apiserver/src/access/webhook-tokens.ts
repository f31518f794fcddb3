import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { UserInfo } from '@binnacle/machinery';
import { askEndpoint } from '../outbound/json-endpoint.ts';
import type { AskingWorld } from '../outbound/json-endpoint.ts';
import { answeredStatus } from './answered-status.ts';
import type { TokenWebhook } from '../ports/authentication-settings.ts';
import { commonAudiences } from './own-audiences.ts';
import type { TokenAuthenticator, TokenIdentity } from './token-authenticator.ts';
import type { TokenDoubt } from './token-doubt.ts';
import { authenticatedUser } from './users.ts';

/** Upstream's retries of webhooks of authentication and authorization. */
export const ACCESS_RETRIES = { tries: 5, firstWaitMs: 500, timeoutMs: 30_000 };

interface ReviewStatus {
  readonly authenticated?: unknown;
  readonly user?: {
    readonly username?: unknown;
    readonly uid?: unknown;
    readonly groups?: unknown;
    readonly extra?: unknown;
  };
  readonly audiences?: unknown;
  readonly error?: unknown;
}

export interface WebhookTokenWorld extends AskingWorld {
  readonly log: Logger;
  /** Whom tokens are for where the webhook does not say it. */
  readonly audiences: readonly string[];
}

/** Asks somebody else whose a token is, by a TokenReview. Who does not answer knows nothing. */
export function createWebhookTokens(world: WebhookTokenWorld, { endpoint, version }: TokenWebhook): TokenAuthenticator {
  return {
    async identify(token, audiences, doubt) {
      const asked = { kind: 'TokenReview', apiVersion: `authentication.k8s.io/${version}` };
      const review = { ...asked, metadata: {}, spec: { token, audiences } };
      try {
        const answer = await askEndpoint(world, endpoint, { body: review, retries: ACCESS_RETRIES });
        const status: ReviewStatus | undefined = answeredStatus(answer, asked);
        if (status !== undefined) return identityOf(status, { own: world.audiences, asked: audiences, doubt });
        world.log.warn('the webhook of tokens answers with something else', { expected: asked.kind });
        return undefined;
      } catch (error) {
        world.log.warn('the webhook of tokens does not answer', { reason: messageOf(error) });
        doubt?.(messageOf(error));
        return undefined;
      }
    },
  };
}

/** What is not of the form says nothing. Who says no audiences knows of none, and means ours. */
function identityOf(
  status: ReviewStatus,
  { own, asked, doubt }: { own: readonly string[]; asked: readonly string[]; doubt: TokenDoubt | undefined },
): TokenIdentity | undefined {
  const { authenticated, user, audiences, error } = status;
  const named = texts(audiences);
  const common = commonAudiences(named.length === 0 ? own : named, asked);
  if (common.length === 0) return undefined;
  if (authenticated !== true || typeof user?.username !== 'string') {
    if (typeof error === 'string' && error !== '') doubt?.(error);
    return undefined;
  }
  const extra = extraOf(user.extra);
  const info: UserInfo = {
    name: user.username,
    groups: texts(user.groups),
    ...(typeof user.uid === 'string' && user.uid !== '' ? { uid: user.uid } : {}),
    ...(extra === undefined ? {} : { extra }),
  };
  return { user: authenticatedUser(info), audiences: common };
}

function extraOf(given: unknown): UserInfo['extra'] {
  if (typeof given !== 'object' || given === null) return undefined;
  return Object.fromEntries(Object.entries(given).map(([key, values]) => [key, texts(values)]));
}

function texts(given: unknown): string[] {
  return Array.isArray(given) ? given.filter((one) => typeof one === 'string') : [];
}
