import { assert } from '@binnacle/base';
import type { HttpCaller } from '@binnacle/base';
import type { AccessMeasures } from '../ports/access-measures.ts';
import type { AuthenticationChoice } from '../ports/authentication-settings.ts';
import type { ServerWorld } from '../ports/world.ts';
import { createBootstrapTokens } from './bootstrap-tokens.ts';
import { Issuers } from './jwt/issuers.ts';
import { forOwnAudiences } from './own-audiences.ts';
import { createStaticTokens } from './static-tokens.ts';
import type { TokenAuthenticator } from './token-authenticator.ts';
import { createTokenCache } from './token-cache.ts';
import { createTokenChain } from './token-chain.ts';
import { createWebhookTokens } from './webhook-tokens.ts';

/** How long what a webhook said is believed (upstream's). */
const WEBHOOK_MS = 120_000;

export interface TokenWorld extends Pick<ServerWorld, 'cache' | 'clock' | 'random' | 'log'> {
  /** Absent: nobody can be asked. */
  readonly http: HttpCaller | undefined;
  /** Whom tokens are for that do not say it. */
  readonly audiences: readonly string[];
  /** Absent: nobody keeps score. */
  readonly accessMeasures?: AccessMeasures;
}

/** Whose tokens are believed, and who of them may be exchanged. */
export interface BelievedTokens {
  readonly all: TokenAuthenticator;
  /** Absent: no issuers were named, nor will be. */
  readonly issuers?: Issuers;
}

/** All whose tokens are believed, in upstream's order: the file's, accounts', bootstrap tokens, issuers', the webhook's. */
export function createBelievedTokens(
  world: TokenWorld,
  accounts: TokenAuthenticator,
  { staticTokens, bootstrapTokens, jwt, webhook }: AuthenticationChoice,
): BelievedTokens {
  const { cache, clock, audiences } = world;
  const each: TokenAuthenticator[] = [];
  if (staticTokens !== undefined) each.push(forOwnAudiences(createStaticTokens(staticTokens), audiences));
  each.push(accounts);
  if (bootstrapTokens === true) each.push(forOwnAudiences(createBootstrapTokens(cache, clock), audiences));
  const issuers = jwt === undefined ? undefined : new Issuers(askingWorld(world), jwt);
  if (issuers !== undefined) each.push(issuers);
  if (webhook !== undefined) {
    const asked = createWebhookTokens(askingWorld(world), webhook);
    each.push(createTokenCache(asked, clock, webhook.cacheTtlMs ?? WEBHOOK_MS));
  }
  const all = each.length === 1 ? accounts : createTokenChain(each);
  return issuers === undefined ? { all } : { all, issuers };
}

function askingWorld(world: TokenWorld): TokenWorld & { readonly http: HttpCaller } {
  const { http } = world;
  assert(http !== undefined, 'who believes others has somebody to ask them with');
  return { ...world, http };
}
