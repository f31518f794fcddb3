import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { UserInfo } from '@binnacle/machinery';
import { askEndpoint } from '../outbound/json-endpoint.ts';
import type { AskingWorld } from '../outbound/json-endpoint.ts';
import { answeredStatus } from './answered-status.ts';
import type { TokenWebhook } from '../ports/authentication-settings.ts';
import type { TokenAuthenticator, TokenIdentity } from './token-authenticator.ts';
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
}

/** Asks somebody else whose a token is, by a TokenReview. Who does not answer knows nothing. */
export function createWebhookTokens(
  world: AskingWorld & { readonly log: Logger },
  { endpoint, version }: TokenWebhook,
): TokenAuthenticator {
  return {
    async identify(token, audiences) {
      const asked = { kind: 'TokenReview', apiVersion: `authentication.k8s.io/${version}` };
      const review = { ...asked, metadata: {}, spec: { token, audiences } };
      try {
        const answer = await askEndpoint(world, endpoint, { body: review, retries: ACCESS_RETRIES });
        const status: ReviewStatus | undefined = answeredStatus(answer, asked);
        if (status !== undefined) return identityOf(status, audiences);
        world.log.warn('the webhook of tokens answers with something else', { expected: asked.kind });
        return undefined;
      } catch (error) {
        world.log.warn('the webhook of tokens does not answer', { reason: messageOf(error) });
        return undefined;
      }
    },
  };
}

/** What is not of the form says nothing. Who says no audiences knows of none, and means ours. */
function identityOf(status: ReviewStatus, asked: readonly string[]): TokenIdentity | undefined {
  const { authenticated, user, audiences } = status;
  if (authenticated !== true || typeof user?.username !== 'string') return undefined;
  const named = texts(audiences);
  const common = named.length === 0 ? asked : named.filter((audience) => asked.includes(audience));
  if (common.length === 0) return undefined;
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
