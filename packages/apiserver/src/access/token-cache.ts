import { RecentTable } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import type { TokenAuthenticator, TokenIdentity } from './token-authenticator.ts';
import type { TokenDoubt } from './token-doubt.ts';

const TOKENS_MAX = 4096;
/** Larger tokens are asked about each time: nobody may fill the memory with them, nor with what is said of whose they are. */
const TOKEN_LENGTH_MAX = 16 * 1024;
const IDENTITY_LENGTH_MAX = 16 * 1024;

interface Known {
  readonly identity: TokenIdentity;
  readonly until: number;
}

interface Asked {
  readonly answer: Promise<TokenIdentity | undefined>;
  /** Of all who wait. */
  readonly doubts: TokenDoubt[];
}

/**
 * Remembers whose a token is for a while, so that it is not verified, or asked about, at every request. Only what is
 * known is remembered: a token that nobody knows may be known in a moment. Questions about one token are asked once.
 */
export function createTokenCache(behind: TokenAuthenticator, clock: Clock, ttlMs: number): TokenAuthenticator {
  const known = new RecentTable<Known>(TOKENS_MAX);
  const asked = new Map<string, Asked>();
  return {
    identify(token, audiences, doubt) {
      if (token.length > TOKEN_LENGTH_MAX) return behind.identify(token, audiences, doubt);
      // Whoever asks by a review chooses both, line ends in them too.
      const key = JSON.stringify(audiences) + token;
      const found = known.get(key);
      const now = clock.monotonic();
      if (found !== undefined && found.until > now) return found.identity;
      const waiting = asked.get(key);
      if (waiting !== undefined) {
        if (doubt !== undefined) waiting.doubts.push(doubt);
        return waiting.answer;
      }
      const doubts = doubt === undefined ? [] : [doubt];
      const keep = (identity: TokenIdentity | undefined): TokenIdentity | undefined => {
        if (identity !== undefined && JSON.stringify(identity).length <= IDENTITY_LENGTH_MAX)
          known.set(key, { identity, until: clock.monotonic() + ttlMs });
        return identity;
      };
      const answer = behind.identify(token, audiences, (why) => doubts.forEach((each) => each(why)));
      if (!(answer instanceof Promise)) return keep(answer);
      const kept = answer.then(keep).finally(() => asked.delete(key));
      asked.set(key, { answer: kept, doubts });
      return kept;
    },
  };
}
