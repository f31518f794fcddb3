import type { TokenKeys } from '../ports/token-keys.ts';
import { decodeBase64Url, encodeBase64Url } from './base64url.ts';
import type { TokenDoubt } from './token-doubt.ts';

/** Verified tokens that are remembered; beyond it the remembering starts over. */
const VERIFIED_MAX = 4096;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** JSON Web Tokens of one issuer, signed by our keys. What their claims mean is the caller's business. */
export class SignedTokens<Claims extends { readonly iss: string }> {
  readonly #keys: TokenKeys;
  readonly #issuer: string;
  readonly #header: string;
  readonly #verified = new Map<string, Claims>();

  constructor(keys: TokenKeys, issuer: string) {
    this.#keys = keys;
    this.#issuer = issuer;
    this.#header = encodeJson({ alg: keys.algorithm, kid: keys.keyId });
  }

  async sign(claims: Claims): Promise<string> {
    const signed = `${this.#header}.${encodeJson(claims)}`;
    const signature = await this.#keys.sign(encoder.encode(signed));
    return `${signed}.${encodeBase64Url(signature)}`;
  }

  /**
   * The claims of a token that we signed for this issuer; undefined for every other text. At once for a token that was
   * verified before, and wherever the keys answer at once.
   */
  read(token: string, doubt?: TokenDoubt): Claims | undefined | Promise<Claims | undefined> {
    return this.#verified.get(token) ?? this.#verify(token, doubt);
  }

  /** It is not worth remembering any more. */
  forget(token: string): void {
    this.#verified.delete(token);
  }

  #verify(token: string, doubt: TokenDoubt | undefined): Claims | undefined | Promise<Claims | undefined> {
    const [head = '', body = '', tail = '', ...rest] = token.split('.');
    const header = decodeJson(head) as { alg?: unknown; kid?: unknown } | undefined;
    const signature = decodeBase64Url(tail);
    if (rest.length > 0 || typeof header?.alg !== 'string' || typeof header.kid !== 'string') return undefined;
    const believed = this.#keys.algorithms ?? [this.#keys.algorithm];
    if (signature === undefined || !believed.includes(header.alg)) return undefined;
    const { kid } = header;
    const isOurs = this.#keys.verify(encoder.encode(`${head}.${body}`), signature, kid);
    const known = (yes: boolean): Claims | undefined => {
      if (yes) return this.#remember(token, body);
      if (doubt !== undefined) this.#tell(body, kid, doubt);
      return undefined;
    };
    return isOurs instanceof Promise ? isOurs.then(known) : known(isOurs);
  }

  /** A token that says it is of this issuer, and is not. */
  #tell(body: string, kid: string, doubt: TokenDoubt): void {
    if ((decodeJson(body) as { readonly iss?: unknown } | undefined)?.iss !== this.#issuer) return;
    const isKnown = this.#keys.publicKeys.some((key) => key['kid'] === kid);
    doubt(isKnown ? 'go-jose/go-jose: error in cryptographic primitive' : 'invalid signature, no keys found');
  }

  /** The signature is ours, and for an issuer we sign nothing but claims of one shape. */
  #remember(token: string, body: string): Claims | undefined {
    const claims = decodeJson(body) as Claims | undefined;
    if (claims?.iss !== this.#issuer) return undefined;
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
