import { sleep } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import type { AccessMeasures } from '../../ports/access-measures.ts';
import type { JwtSettings } from '../../ports/authentication-settings.ts';
import { forOwnAudiences } from '../own-audiences.ts';
import type { TokenAuthenticator } from '../token-authenticator.ts';
import type { TokenDoubt } from '../token-doubt.ts';
import { createTokenCache } from '../token-cache.ts';
import { createTokenChain } from '../token-chain.ts';
import type { IssuerWorld } from './issuer-keys.ts';
import { createJwtTokens } from './jwt-tokens.ts';

/** How long what was verified is believed without looking again (upstream's). */
const VERIFIED_MS = 10_000;
/** How often, and how long, issuers of a new configuration are asked for their keys (upstream's). */
const AGAIN_MS = 10_000;
const PATIENCE_MS = 60_000;

export interface IssuersWorld extends IssuerWorld {
  readonly clock: Clock;
  readonly log: Logger;
  /** Absent: nobody keeps score. */
  readonly accessMeasures?: AccessMeasures;
  /** Whom their tokens are for here: what they say themselves names clients of the issuer. */
  readonly audiences: readonly string[];
}

/** All issuers that a configuration names; they may be exchanged for those of another one while the server runs. */
export class Issuers implements TokenAuthenticator {
  readonly #world: IssuersWorld;
  #current: TokenAuthenticator;

  constructor(world: IssuersWorld, jwt: readonly JwtSettings[]) {
    this.#world = world;
    this.#current = this.#chain(this.#made(jwt));
  }

  identify(
    token: string,
    audiences: readonly string[],
    doubt?: TokenDoubt,
  ): ReturnType<TokenAuthenticator['identify']> {
    return this.#current.identify(token, audiences, doubt);
  }

  /**
   * Believes these from now on, once the keys of all of them are known. Rejects with IssuerError, and leaves what was,
   * where one of them cannot be had within a minute, or with the signal's reason when that is over.
   */
  async replace(jwt: readonly JwtSettings[], signal: AbortSignal): Promise<void> {
    const { clock } = this.#world;
    const made = this.#made(jwt);
    const until = clock.monotonic() + PATIENCE_MS;
    for (;;) {
      try {
        await Promise.all(made.map((one) => one.ready()));
        break;
      } catch (error) {
        if (clock.monotonic() + AGAIN_MS > until) throw error;
      }
      // An issuer that is away tells nobody when it comes.
      await sleep(clock, AGAIN_MS, signal);
    }
    signal.throwIfAborted();
    this.#current = this.#chain(made);
  }

  #made(jwt: readonly JwtSettings[]): ReturnType<typeof createJwtTokens>[] {
    return jwt.map((settings, i) => createJwtTokens(this.#world, settings, `jwt[${i}]`));
  }

  #chain(made: readonly TokenAuthenticator[]): TokenAuthenticator {
    const { clock, audiences } = this.#world;
    return createTokenCache(forOwnAudiences(createTokenChain(made), audiences), clock, VERIFIED_MS);
  }
}
