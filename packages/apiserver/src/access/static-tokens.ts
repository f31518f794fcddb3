import type { UserInfo } from '@binnacle/machinery';
import { AuthenticationConfigError } from './errors.ts';
import type { TokenAuthenticator } from './token-authenticator.ts';
import { authenticatedUser } from './users.ts';

/**
 * Reads upstream's `--token-auth-file`: lines of `token,user,uid,"group1,group2"`. Lines of fewer than three columns are
 * errors, as are empty tokens; of a repeated token the last line counts. Throws AuthenticationConfigError.
 */
export function readStaticTokens(text: string): ReadonlyMap<string, UserInfo> {
  const users = new Map<string, UserInfo>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const columns = columnsOf(line, at + 1);
    const [token = '', name = '', uid = '', groups = ''] = columns;
    if (columns.length < 3)
      throw wrong(at + 1, `expected at least 3 columns (token, user name, user uid), found ${columns.length}`);
    if (token === '') throw wrong(at + 1, 'empty token');
    const of = groups === '' ? [] : groups.split(',');
    users.set(token, authenticatedUser({ name, groups: of, ...(uid === '' ? {} : { uid }) }));
  }
  return users;
}

/** Tokens of a file, for every audience. */
export function createStaticTokens(users: ReadonlyMap<string, UserInfo>): TokenAuthenticator {
  return {
    identify(token, audiences) {
      const user = users.get(token);
      return user === undefined ? undefined : { user, audiences };
    },
  };
}

/** Comma-separated values; quotes within quotes are doubled (RFC 4180). */
function columnsOf(line: string, number: number): string[] {
  const columns: string[] = [];
  const form = /\s*(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  for (;;) {
    const match = form.exec(line);
    if (match === null) throw wrong(number, 'not comma-separated values');
    const [, quoted, plain = '', end] = match;
    columns.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    if (end === '') return columns;
  }
}

function wrong(line: number, why: string): AuthenticationConfigError {
  return new AuthenticationConfigError(`token file, line ${line}: ${why}`);
}
