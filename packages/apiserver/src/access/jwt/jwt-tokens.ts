import { CatalogueError, messageOf } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import { decodeBase64Url } from '../base64url.ts';
import type { TokenAuthenticator } from '../token-authenticator.ts';
import { authenticatedUser } from '../users.ts';
import { ClaimsError, compileMapping } from './claims-mapping.ts';
import type { Claims } from './claims-mapping.ts';
import { IssuerError, IssuerKeys } from './issuer-keys.ts';
import type { IssuerWorld } from './issuer-keys.ts';
import { UNOBSERVED } from '../../ports/access-measures.ts';
import type { AccessMeasures } from '../../ports/access-measures.ts';
import type { JwtSettings } from '../../ports/authentication-settings.ts';

/** Clocks differ: a token may begin to hold a little later than now. */
const NOT_BEFORE_LEEWAY_SECONDS = 300;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Believes tokens of one issuer. */
export interface JwtTokens extends TokenAuthenticator {
  /** Resolves when the issuer's keys are known. Rejects with IssuerError where they cannot be had: it may be asked again. */
  ready(): Promise<void>;
}

export interface JwtWorld extends IssuerWorld {
  readonly clock: Clock;
  readonly log: Logger;
  /** Absent: nobody keeps score. */
  readonly accessMeasures?: AccessMeasures;
}

/** Tokens of one issuer (OpenID Connect Core 1.0, section 2). `path`: where it stands in the configuration. */
export function createJwtTokens(world: JwtWorld, settings: JwtSettings, path: string): JwtTokens {
  const { clock, log, accessMeasures = UNOBSERVED } = world;
  const { url, audiences: clients } = settings.issuer;
  const keys = new IssuerKeys(world, settings);
  const userOf = compileMapping(settings, path);
  const meter = accessMeasures.issuerMeter(url);
  const verified = async (token: string): Promise<Claims> => {
    const claims = parsed(await keys.verify(token));
    check(claims, { url, clients, nowSeconds: clock.now() / 1000 });
    return claims;
  };
  return {
    ready: () => keys.ready(),
    identify(token, audiences, doubt) {
      // Whoever made it: only what it says of itself is looked at here.
      if (issuerOf(token) !== url) return undefined;
      const since = clock.monotonic();
      const ended = (result: 'success' | 'failure'): void => meter.ended(result, (clock.monotonic() - since) / 1000);
      return verified(token)
        .then((claims) => {
          const user = authenticatedUser(userOf(claims));
          ended('success');
          return { user, audiences };
        })
        .catch((error: unknown) => {
          ended('failure');
          if (!(error instanceof ClaimsError || error instanceof IssuerError)) throw error;
          log.info(2, 'a token of an issuer is refused', { issuer: url, reason: error.message });
          doubt?.(error.message);
          return undefined;
        });
    },
  };
}

function issuerOf(token: string): unknown {
  const parts = token.split('.', 4);
  const payload = parts.length === 3 ? decodeBase64Url(parts[1] ?? '') : undefined;
  if (payload === undefined) return undefined;
  try {
    return parsed(payload)['iss'];
  } catch (error) {
    if (error instanceof CatalogueError) return undefined;
    throw error;
  }
}

function parsed(payload: Uint8Array): Claims {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(payload));
  } catch (error) {
    throw new ClaimsError(`malformed token: ${messageOf(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ClaimsError('malformed token');
  return value as Claims;
}

function check(claims: Claims, at: { url: string; clients: readonly string[]; nowSeconds: number }): void {
  const { iss, aud, exp, nbf } = claims;
  if (iss !== at.url) throw new ClaimsError(`id token issued by a different provider, expected ${at.url}`);
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audiences.some((audience) => typeof audience === 'string' && at.clients.includes(audience))) {
    throw new ClaimsError(`expected audience in ${JSON.stringify(at.clients)} got ${JSON.stringify(audiences)}`);
  }
  if (typeof exp !== 'number' || at.nowSeconds >= exp) throw new ClaimsError('token is expired');
  if (nbf === undefined) return;
  if (typeof nbf !== 'number' || at.nowSeconds + NOT_BEFORE_LEEWAY_SECONDS < nbf) {
    throw new ClaimsError('current time before the nbf (not before) time');
  }
}
