import type { UserInfo } from '@binnacle/machinery';
import type { Metrics } from '../observe/metrics.ts';
import type { AccessControl } from '../ports/policy.ts';
import type { Exchange } from '../request/exchange.ts';

export interface AuthenticationWorld {
  readonly access: Pick<AccessControl, 'authenticate'>;
  readonly metrics: Pick<Metrics, 'authenticated' | 'unauthenticated'>;
}

/** Finds out who asks. In-process callers are known. Throws 401. */
export function authenticate({ access, metrics }: AuthenticationWorld, exchange: Exchange): void | Promise<void> {
  const { request } = exchange;
  if (request.user !== undefined) {
    exchange.user = request.user;
    return undefined;
  }
  const known = (user: UserInfo): void => {
    metrics.authenticated(user.name);
    exchange.user = user;
  };
  const unknown = (error: unknown): never => {
    metrics.unauthenticated();
    throw error;
  };
  try {
    const user = access.authenticate(request.credentials, request.path);
    return user instanceof Promise ? user.then(known, unknown) : known(user);
  } catch (error) {
    return unknown(error);
  }
}
