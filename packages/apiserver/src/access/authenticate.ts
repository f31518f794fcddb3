import { status } from '@binnacle/machinery';
import type { UserInfo } from '@binnacle/machinery';
import type { AnonymousSettings, RequestHeaderSettings } from '../ports/authentication-settings.ts';
import type { Credentials, ShownCertificate } from '../ports/authentication.ts';
import type { TokenAuthenticator, TokenIdentity } from './token-authenticator.ts';
import { userOfHeaders } from './request-headers.ts';
import { ANONYMOUS, authenticatedUser, CREDENTIAL_ID, UNAUTHENTICATED } from './users.ts';

export interface AuthenticationOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly tokens: TokenAuthenticator;
  /** Who a token has to be meant for. */
  readonly audiences: readonly string[];
  readonly anonymous: AnonymousSettings;
  readonly requestHeaders?: RequestHeaderSettings | undefined;
  /** Hears of each client certificate that is looked at, when it ends, in milliseconds since the epoch. */
  readonly certificateSeen?: (endsMs: number) => void;
}

/**
 * Who is calling: whoever a front proxy names, then the client certificate, then the bearer token; a caller with none of
 * these is anonymous.
 * A token or a certificate that nobody knows is an error even where anonymous calls are welcome.
 */
export function createAuthentication(
  options: AuthenticationOptions,
): (credentials: Credentials, path?: string) => UserInfo | Promise<UserInfo> {
  const { requestHeaders, certificateSeen, now } = options;
  const { enabled, paths = [] } = options.anonymous;
  const welcome = new Set(paths);
  // One user per connection, so that what is kept by the user (rules) is found again.
  const byCertificate = new WeakMap<object, UserInfo>();
  return ({ certificate, certificateEndsMs, foreignCertificate, frontProxy, bearerToken }, path = '') => {
    // A connection may outlive its certificate, and a session that goes on has nobody look at it again: each request is judged.
    const isOver = certificateEndsMs !== undefined && certificateEndsMs < now();
    if (requestHeaders !== undefined && frontProxy !== undefined && !isOver) {
      const user = userOfHeaders(requestHeaders, frontProxy);
      if (user !== undefined) return user.groups.includes(UNAUTHENTICATED) ? user : authenticatedUser(user);
    }
    if (certificateEndsMs !== undefined) certificateSeen?.(certificateEndsMs);
    if (certificate !== undefined && certificate.commonName !== '' && !isOver) {
      let user = byCertificate.get(certificate);
      if (user === undefined) {
        user = userOfCertificate(certificate);
        byCertificate.set(certificate, user);
      }
      return user;
    }
    if (bearerToken !== undefined && bearerToken !== '') return byToken(bearerToken, options);
    if (!enabled || foreignCertificate === true || isOver || (welcome.size > 0 && !welcome.has(path)))
      throw status.unauthorized();
    return ANONYMOUS;
  };
}

/** Which certificate it was is told as of a token its id, so that audit and webhooks can tell them apart. */
function userOfCertificate({ commonName, organizations, fingerprint, uid }: ShownCertificate): UserInfo {
  return authenticatedUser({
    name: commonName,
    ...(uid === undefined ? {} : { uid }),
    groups: organizations,
    extra: { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] },
  });
}

function byToken(token: string, options: AuthenticationOptions): UserInfo | Promise<UserInfo> {
  const identity = options.tokens.identify(token, options.audiences);
  return identity instanceof Promise ? identity.then(userOf) : userOf(identity);
}

function userOf(identity: TokenIdentity | undefined): UserInfo {
  if (identity === undefined) throw status.unauthorized();
  return identity.user;
}
