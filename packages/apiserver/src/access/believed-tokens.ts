import { assert } from '@binnacle/base';
import type { HttpCaller } from '@binnacle/base';
import type { AuthenticationChoice } from '../ports/authentication-settings.ts';
import type { ServerWorld } from '../ports/world.ts';
import { createBootstrapTokens } from './bootstrap-tokens.ts';
import { createJwtTokens } from './jwt/jwt-tokens.ts';
import { createStaticTokens } from './static-tokens.ts';
import type { TokenAuthenticator } from './token-authenticator.ts';
import { createTokenCache } from './token-cache.ts';
import { createTokenChain } from './token-chain.ts';
import { createWebhookTokens } from './webhook-tokens.ts';

/** Upstream's times: of what was verified, and of what a webhook said. */
const VERIFIED_MS = 10_000;
const WEBHOOK_MS = 120_000;

export interface TokenWorld extends Pick<ServerWorld, 'cache' | 'clock' | 'random' | 'log'> {
  /** Absent: nobody can be asked. */
  readonly http: HttpCaller | undefined;
}

/** All whose tokens are believed, in upstream's order: the file's, accounts', bootstrap tokens, issuers', the webhook's. */
export function createBelievedTokens(
  world: TokenWorld,
  accounts: TokenAuthenticator,
  { staticTokens, bootstrapTokens, jwt = [], webhook }: AuthenticationChoice,
): TokenAuthenticator {
  const { cache, clock } = world;
  const each: TokenAuthenticator[] = [];
  if (staticTokens !== undefined) each.push(createStaticTokens(staticTokens));
  each.push(accounts);
  if (bootstrapTokens === true) each.push(createBootstrapTokens(cache, clock));
  if (jwt.length > 0) {
    const asking = askingWorld(world);
    const issuers = jwt.map((settings, i) => createJwtTokens(asking, settings, `jwt[${i}]`));
    each.push(createTokenCache(createTokenChain(issuers), clock, VERIFIED_MS));
  }
  if (webhook !== undefined) {
    const asked = createWebhookTokens(askingWorld(world), webhook);
    each.push(createTokenCache(asked, clock, webhook.cacheTtlMs ?? WEBHOOK_MS));
  }
  return each.length === 1 ? accounts : createTokenChain(each);
}

function askingWorld(world: TokenWorld): TokenWorld & { readonly http: HttpCaller } {
  const { http } = world;
  assert(http !== undefined, 'who believes others has somebody to ask them with');
  return { ...world, http };
}
