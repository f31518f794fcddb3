import { status } from '@binnacle/machinery';
import type { UserInfo } from '@binnacle/machinery';
import { unescapeKey } from '../access/request-headers.ts';
import {
  AUTHENTICATED,
  ANONYMOUS,
  parseServiceAccount,
  serviceAccountGroups,
  UNAUTHENTICATED,
} from '../access/users.ts';
import type { Authorizer } from '../ports/authorization.ts';
import type { Exchange } from '../request/exchange.ts';
import { mayImpersonate } from './authorise.ts';
import type { ImpersonationTarget } from './authorise.ts';

const ANY = 'impersonate-';
const EXTRA = 'impersonate-extra-';

/** Whom the caller wants to be. */
interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/**
 * `Impersonate-User`, `-Group`, `-Uid` and `-Extra-…`: go on as somebody else, if the caller may be all of that
 * (API reference, "User impersonation").
 */
export function impersonate(authorizer: Authorizer, exchange: Exchange): void | Promise<void> {
  const { request } = exchange;
  if (request.headerLines === undefined || request.hasHeadersLike?.(ANY) === false) return;
  const wanted = readWanted(request.headerLines());
  if (wanted === undefined) return;
  return become(authorizer, exchange, wanted);
}

async function become(authorizer: Authorizer, exchange: Exchange, wanted: Wanted): Promise<void> {
  const { user } = exchange;
  for (const target of targetsOf(wanted)) await mayImpersonate(authorizer, user, target);
  exchange.user = userOf(wanted);
}

function readWanted(lines: Iterable<readonly [name: string, value: string]>): Wanted | undefined {
  let name = '';
  let uid = '';
  const groups: string[] = [];
  const extra = new Map<string, string[]>();
  for (const [header, value] of lines) {
    if (!header.startsWith(ANY)) continue;
    if (header === 'impersonate-user') name = value;
    else if (header === 'impersonate-uid') uid = value;
    else if (header === 'impersonate-group') groups.push(value);
    else if (header.startsWith(EXTRA)) {
      const key = unescapeKey(header.slice(EXTRA.length));
      extra.set(key, [...(extra.get(key) ?? []), value]);
    }
  }
  if (name !== '') return { name, uid, groups, extra };
  if (uid !== '' || groups.length > 0 || extra.size > 0)
    throw status.badRequest('requested uid, groups or extra without impersonating a user');
  return undefined;
}

function* targetsOf({ name, uid, groups, extra }: Wanted): Generator<ImpersonationTarget> {
  const account = parseServiceAccount(name);
  if (account === undefined) yield { group: '', resource: 'users', subresource: '', namespace: '', name };
  else yield { group: '', resource: 'serviceaccounts', subresource: '', ...account };
  const plain = { subresource: '', namespace: '' };
  for (const group of groups) yield { ...plain, group: '', resource: 'groups', name: group };
  const group = 'authentication.k8s.io';
  for (const [key, values] of extra)
    for (const value of values) yield { group, resource: 'userextras', subresource: key, namespace: '', name: value };
  if (uid !== '') yield { ...plain, group, resource: 'uids', name: uid };
}

function userOf({ name, uid, groups, extra }: Wanted): UserInfo {
  return {
    name,
    groups: groupsOf(name, groups),
    ...(uid === '' ? {} : { uid }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

/** An account that names no groups has its own; everybody is either authenticated or not. */
function groupsOf(name: string, asked: readonly string[]): string[] {
  const account = parseServiceAccount(name);
  const own = account !== undefined && asked.length === 0 ? serviceAccountGroups(account.namespace) : [];
  const groups = new Set([...asked, ...own]);
  if (name === ANONYMOUS.name) groups.add(UNAUTHENTICATED);
  else if (!groups.has(UNAUTHENTICATED)) groups.add(AUTHENTICATED);
  return [...groups];
}
