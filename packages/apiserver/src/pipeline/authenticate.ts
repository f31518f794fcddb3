import type { UserInfo } from '@binnacle/machinery';
import type { AccessFigures } from '../observe/access-figures.ts';
import type { Credentials } from '../ports/authentication.ts';
import type { AccessControl } from '../ports/policy.ts';
import type { Exchange } from '../request/exchange.ts';

export interface AuthenticationWorld {
  readonly access: Pick<AccessControl, 'authenticate'>;
  readonly figures: Pick<AccessFigures, 'authenticated' | 'unauthenticated'>;
  /** Seconds since some moment. */
  readonly now: () => number;
}

/** Finds out who asks. In-process callers are known. Throws 401. */
export function authenticate({ access, figures, now }: AuthenticationWorld, exchange: Exchange): void | Promise<void> {
  const { request } = exchange;
  if (request.user !== undefined) {
    exchange.user = request.user;
    return undefined;
  }
  const since = now();
  const unknown = (error: unknown): never => {
    figures.unauthenticated(showsNothing(request.credentials) ? 'failure' : 'error', now() - since);
    throw error;
  };
  let user: UserInfo | Promise<UserInfo>;
  try {
    user = access.authenticate(request.credentials, request.path);
  } catch (error) {
    return unknown(error);
  }
  if (user instanceof Promise) {
    return user.then((found) => {
      figures.authenticated(found.name, now() - since);
      exchange.user = found;
    }, unknown);
  }
  figures.authenticated(user.name, now() - since);
  exchange.user = user;
}

/** Nobody is asked who they are who say nothing of it. */
function showsNothing({ bearerToken, certificate, foreignCertificate }: Credentials): boolean {
  return bearerToken === undefined && certificate === undefined && foreignCertificate === undefined;
}
