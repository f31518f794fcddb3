import type { TokenAuthenticator, TokenIdentity } from './token-authenticator.ts';
import type { TokenDoubt } from './token-doubt.ts';

/**
 * Asks one after the other whose token it is: the first that knows it counts. Who fails knows nothing of it. There is a
 * promise only from the first that makes one.
 */
export function createTokenChain(each: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    identify(token, audiences, doubt) {
      // By hand: most requests come this way.
      for (let at = 0; at < each.length; at++) {
        const found = each[at]?.identify(token, audiences, doubt);
        if (found instanceof Promise) return goOn(found, each.slice(at + 1), { token, audiences, doubt });
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

interface Question {
  readonly token: string;
  readonly audiences: readonly string[];
  readonly doubt: TokenDoubt | undefined;
}

async function goOn(
  first: Promise<TokenIdentity | undefined>,
  rest: readonly TokenAuthenticator[],
  { token, audiences, doubt }: Question,
): Promise<TokenIdentity | undefined> {
  let found = await first;
  for (const one of rest) {
    if (found !== undefined) return found;
    found = await one.identify(token, audiences, doubt);
  }
  return found;
}
