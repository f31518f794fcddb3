import type { AccessControl } from '../ports/policy.ts';
import type { Exchange } from '../request/exchange.ts';

/** Finds out who asks. In-process callers are known. Throws 401. */
export function authenticate(access: Pick<AccessControl, 'authenticate'>, exchange: Exchange): void | Promise<void> {
  const { request } = exchange;
  if (request.user !== undefined) {
    exchange.user = request.user;
    return;
  }
  const user = access.authenticate(request.credentials);
  if (!(user instanceof Promise)) {
    exchange.user = user;
    return;
  }
  return user.then((found) => {
    exchange.user = found;
  });
}
