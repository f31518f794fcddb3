import { CatalogueError, messageOf } from '@binnacle/base';
import type { Clock, HttpCaller } from '@binnacle/base';
import { parseDocument } from '@binnacle/machinery';
import { compactVerify, createLocalJWKSet, errors } from 'jose';
import type { JSONWebKeySet } from 'jose';
import { readBounded } from '../../outbound/json-endpoint.ts';
import type { JwtSettings } from '../../ports/authentication-settings.ts';

const WELL_KNOWN = '/.well-known/openid-configuration';
const DOCUMENT_BYTES_MAX = 1 << 20;
const TIMEOUT_MS = 30_000;
/** So long after a try that failed nobody is asked again. */
const FAILURE_PAUSE_MS = 10_000;
/** A key that is not known makes the keys be read anew, this often at the most: tokens of strangers cost no calls. */
const REFRESH_PAUSE_MS = 5_000;

/** The issuer's keys could not be had, or the token is not signed by one of them. */
export class IssuerError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('issuer', `oidc: ${message}`, { cause });
  }
}

export interface IssuerWorld {
  readonly http: Pick<HttpCaller, 'request'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** The keys of one issuer: found by its discovery document, read when they are first needed and when one is missing. */
export class IssuerKeys {
  readonly #world: IssuerWorld;
  readonly #settings: JwtSettings;
  #keys: ReturnType<typeof createLocalJWKSet> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #failure = '';
  #reading: Promise<void> | undefined;

  constructor(world: IssuerWorld, settings: JwtSettings) {
    this.#world = world;
    this.#settings = settings;
  }

  /** Resolves when the keys are there. Rejects with IssuerError where they cannot be had: it may be asked again. */
  async ready(): Promise<void> {
    if (this.#keys === undefined) await this.#read();
  }

  /** The payload of a token that the issuer signed. Throws IssuerError. */
  async verify(token: string): Promise<Uint8Array> {
    if (this.#keys === undefined) await this.#read();
    const first = await this.#check(token);
    if (first !== undefined) return first;
    if (this.#world.clock.monotonic() - this.#readAt < REFRESH_PAUSE_MS)
      throw new IssuerError('failed to verify signature');
    await this.#read();
    const second = await this.#check(token);
    if (second === undefined) throw new IssuerError('failed to verify signature');
    return second;
  }

  /** Undefined: none of the keys that are known made it. */
  async #check(token: string): Promise<Uint8Array | undefined> {
    const keys = this.#keys;
    if (keys === undefined) throw new IssuerError('authenticator not initialized');
    const algorithms = [...(this.#settings.signingAlgorithms ?? ['RS256'])];
    try {
      const { payload } = await compactVerify(token, keys, { algorithms });
      return payload;
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) return await checkEach(token, error, algorithms);
      if (isOfToken(error)) throw new IssuerError(messageOf(error), error);
      // The key may be none: the issuer may have another one of that name by now.
      return undefined;
    }
  }

  #read(): Promise<void> {
    const now = this.#world.clock.monotonic();
    if (now - this.#failedAt < FAILURE_PAUSE_MS) return Promise.reject(new IssuerError(this.#failure));
    this.#reading ??= this.#readNow().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #readNow(): Promise<void> {
    const { url, discoveryURL } = this.#settings.issuer;
    try {
      const found = (await this.#get(discoveryURL ?? `${url.replace(/\/$/, '')}${WELL_KNOWN}`)) as {
        readonly issuer?: unknown;
        readonly jwks_uri?: unknown;
      };
      if (found.issuer !== url) {
        throw new IssuerError(
          `issuer did not match the issuer returned by provider, expected ${JSON.stringify(url)} got ${JSON.stringify(found.issuer)}`,
        );
      }
      if (typeof found.jwks_uri !== 'string' || !found.jwks_uri.startsWith('https:')) {
        throw new IssuerError('provider did not return JWKS URL');
      }
      this.#keys = createLocalJWKSet((await this.#get(found.jwks_uri)) as JSONWebKeySet);
      this.#readAt = this.#world.clock.monotonic();
      this.#failedAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      this.#failedAt = this.#world.clock.monotonic();
      this.#failure = messageOf(error);
      throw error instanceof IssuerError ? error : new IssuerError(messageOf(error), error);
    }
  }

  async #get(url: string): Promise<unknown> {
    const { certificateAuthority: ca } = this.#settings.issuer;
    const reply = await this.#world.http.request({
      method: 'GET',
      url,
      headers: { accept: 'application/json' },
      timeoutMs: TIMEOUT_MS,
      ...(ca === undefined ? {} : { trust: { ca } }),
    });
    const text = await readBounded(reply.body, DOCUMENT_BYTES_MAX);
    if (reply.status !== 200) throw new IssuerError(`${url}: status ${reply.status}`);
    return parseDocument(text);
  }
}

/** What is wrong with the token itself, whatever key it is held against. */
function isOfToken(error: unknown): boolean {
  return error instanceof errors.JWSInvalid || error instanceof errors.JOSEAlgNotAllowed;
}

/** A token that does not say which key made it may be of any of them. */
async function checkEach(
  token: string,
  keys: errors.JWKSMultipleMatchingKeys,
  algorithms: string[],
): Promise<Uint8Array | undefined> {
  for await (const key of keys) {
    try {
      return (await compactVerify(token, key, { algorithms })).payload;
    } catch (error) {
      if (isOfToken(error)) throw new IssuerError(messageOf(error), error);
    }
  }
  return undefined;
}
