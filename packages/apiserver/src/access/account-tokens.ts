import type { Clock, Random } from '@binnacle/base';
import type { TokenKeys } from '../ports/token-keys.ts';
import { decodeBase64Url, encodeBase64Url } from './base64url.ts';

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

/** Verified tokens that are remembered; beyond it the remembering starts over. */
const VERIFIED_MAX = 4096;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Makes and reads ServiceAccount tokens: JSON Web Tokens signed by the keys' algorithm. Knows nothing of live objects. */
export class AccountTokens {
  readonly #world: TokenWorld;
  readonly #header: string;
  readonly #verified = new Map<string, TokenClaims>();

  constructor(world: TokenWorld) {
    this.#world = world;
    this.#header = encodeJson({ alg: world.keys.algorithm, kid: world.keys.keyId });
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
    const signed = `${this.#header}.${encodeJson(claims)}`;
    const signature = await this.#world.keys.sign(encoder.encode(signed));
    return { token: `${signed}.${encodeBase64Url(signature)}`, expires: claims.exp };
  }

  /**
   * The claims of a token that we signed and that is valid now; undefined for every other text. At once for a token
   * that was verified before, and wherever the keys answer at once.
   */
  read(token: string): TokenClaims | undefined | Promise<TokenClaims | undefined> {
    const claims = this.#verified.get(token) ?? this.#verify(token);
    if (claims instanceof Promise) return claims.then((read) => this.#inTime(token, read));
    return this.#inTime(token, claims);
  }

  #inTime(token: string, claims: TokenClaims | undefined): TokenClaims | undefined {
    if (claims === undefined) return undefined;
    const now = this.#world.clock.now() / 1000;
    if (now >= claims.exp) this.#verified.delete(token);
    return now >= claims.exp || now < claims.nbf ? undefined : claims;
  }

  #verify(token: string): TokenClaims | undefined | Promise<TokenClaims | undefined> {
    const { keys } = this.#world;
    const [head = '', body = '', tail = '', ...rest] = token.split('.');
    const header = decodeJson(head) as { alg?: unknown; kid?: unknown } | undefined;
    const signature = decodeBase64Url(tail);
    if (rest.length > 0 || typeof header?.alg !== 'string' || typeof header.kid !== 'string') return undefined;
    const believed = keys.algorithms ?? [keys.algorithm];
    if (signature === undefined || !believed.includes(header.alg)) return undefined;
    const isOurs = keys.verify(encoder.encode(`${head}.${body}`), signature, header.kid);
    if (isOurs instanceof Promise) return isOurs.then((yes) => (yes ? this.#remember(token, body) : undefined));
    return isOurs ? this.#remember(token, body) : undefined;
  }

  /** The signature is ours, and we sign nothing but claims of this shape. */
  #remember(token: string, body: string): TokenClaims | undefined {
    const claims = decodeJson(body) as TokenClaims | undefined;
    if (claims?.iss !== this.#world.issuer) return undefined;
    if (this.#verified.size >= VERIFIED_MAX) this.#verified.clear();
    this.#verified.set(token, claims);
    return claims;
  }
}

function encodeJson(value: unknown): string {
  return encodeBase64Url(encoder.encode(JSON.stringify(value)));
}

function decodeJson(text: string): unknown {
  const bytes = decodeBase64Url(text);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // Not JSON: not a token of ours.
    return undefined;
  }
}
