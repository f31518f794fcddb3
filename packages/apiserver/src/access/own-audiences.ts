import type { TokenAuthenticator } from './token-authenticator.ts';

/** Those that a token is for and that are asked about. */
export function commonAudiences(own: readonly string[], asked: readonly string[]): readonly string[] {
  // Requests are asked about with the server's own list.
  return asked === own ? own : own.filter((audience) => asked.includes(audience));
}

/**
 * Tokens that say nothing of whom they are for are for this server alone: who asks about them for somebody else is told
 * that nobody knows them. `behind` is asked about the common audiences only.
 */
export function forOwnAudiences(behind: TokenAuthenticator, own: readonly string[]): TokenAuthenticator {
  return {
    identify(token, asked, doubt) {
      const common = commonAudiences(own, asked);
      return common.length === 0 ? undefined : behind.identify(token, common, doubt);
    },
  };
}
