import type { Core } from '../core.ts';
import type { Exchange } from '../request/exchange.ts';

/** Finds out who asks. In-process callers are known. Throws 401. */
export function authenticate(core: Core, exchange: Exchange): void | Promise<void> {
  const { request } = exchange;
  if (request.user !== undefined) {
    exchange.user = request.user;
    return;
  }
  const user = core.policy.authenticate(request.credentials);
  if (!(user instanceof Promise)) {
    exchange.user = user;
    return;
  }
  return user.then((found) => {
    exchange.user = found;
  });
}
