import type { Clock, Random } from '@binnacle/base';
import type { TokenKeys } from '../ports/token-keys.ts';
import { SignedTokens } from './signed-tokens.ts';
import type { TokenDoubt } from './token-doubt.ts';

/** Clocks of several servers, and of who asks them, may differ (upstream's). */
const LEEWAY_SECONDS = 60;

/** An object by name and by the one life that the name has now. */
export interface ObjectIdentity {
  readonly name: string;
  readonly uid: string;
}

/** What a ServiceAccount token says under `kubernetes.io`. */
export interface BoundClaims {
  readonly namespace: string;
  readonly serviceaccount: ObjectIdentity;
  readonly pod?: ObjectIdentity;
  readonly secret?: ObjectIdentity;
  readonly node?: ObjectIdentity;
  /** Seconds since the epoch from which on use of the token is suspicious. */
  readonly warnafter?: number;
}

/** The payload of a ServiceAccount token; times in seconds since the epoch. */
export interface TokenClaims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  readonly jti: string;
  readonly nbf: number;
  readonly sub: string;
  readonly 'kubernetes.io': BoundClaims;
}

export interface TokenWorld {
  readonly keys: TokenKeys;
  readonly issuer: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** Makes and reads ServiceAccount tokens: JSON Web Tokens signed by the keys' algorithm. Knows nothing of live objects. */
export class AccountTokens {
  readonly #world: TokenWorld;
  readonly #signed: SignedTokens<TokenClaims>;

  constructor(world: TokenWorld) {
    this.#world = world;
    this.#signed = new SignedTokens(world.keys, world.issuer);
  }

  get issuer(): string {
    return this.#world.issuer;
  }

  async issue(
    bound: BoundClaims,
    audiences: readonly string[],
    lifeSeconds: number,
  ): Promise<{ token: string; expires: number }> {
    const now = Math.floor(this.#world.clock.now() / 1000);
    const claims: TokenClaims = {
      aud: audiences,
      exp: now + lifeSeconds,
      iat: now,
      iss: this.#world.issuer,
      jti: this.#world.random.uuid(),
      'kubernetes.io': bound,
      nbf: now,
      sub: `system:serviceaccount:${bound.namespace}:${bound.serviceaccount.name}`,
    };
    return { token: await this.#signed.sign(claims), expires: claims.exp };
  }

  /**
   * The claims of a token that we signed and that is valid now; undefined for every other text. At once for a token
   * that was verified before, and wherever the keys answer at once.
   */
  read(token: string, doubt?: TokenDoubt): TokenClaims | undefined | Promise<TokenClaims | undefined> {
    const claims = this.#signed.read(token, doubt);
    if (claims instanceof Promise) return claims.then((read) => this.#inTime(token, read, doubt));
    return this.#inTime(token, claims, doubt);
  }

  #inTime(token: string, claims: TokenClaims | undefined, doubt: TokenDoubt | undefined): TokenClaims | undefined {
    if (claims === undefined) return undefined;
    const now = this.#world.clock.now() / 1000;
    if (now > claims.exp + LEEWAY_SECONDS) {
      this.#signed.forget(token);
      doubt?.('service account token has expired');
      return undefined;
    }
    if (now + LEEWAY_SECONDS >= claims.nbf) return claims;
    doubt?.('service account token is not valid yet');
    return undefined;
  }
}
