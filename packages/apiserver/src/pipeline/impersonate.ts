import { status } from '@binnacle/machinery';
import type { StatusError, UserInfo } from '@binnacle/machinery';
import { denied } from '../access/denial.ts';
import { unescapeKey } from '../access/request-headers.ts';
import { AUTHENTICATED, ANONYMOUS, UNAUTHENTICATED } from '../access/users.ts';
import type { Authorizer, RequestAttributes } from '../ports/authorization.ts';
import type { Exchange } from '../request/exchange.ts';
import { attributesOf } from './authorise.ts';
import { modesOf, onBehalf, ownGroups, partsOf } from './impersonation-modes.ts';
import type { ImpersonationMode, Wanted } from './impersonation-modes.ts';

const ANY = 'impersonate-';
const EXTRA = 'impersonate-extra-';

/**
 * `Impersonate-User`, `-Group`, `-Uid` and `-Extra-…`: go on as somebody else, if the caller may be all of that
 * (API reference, "User impersonation"), or may do just this as somebody of that sort (KEP 5284).
 */
export function impersonate(authorizer: Authorizer, exchange: Exchange): void | Promise<void> {
  const { request } = exchange;
  if (request.headerLines === undefined || request.hasHeadersLike?.(ANY) === false) return;
  const wanted = readWanted(request.headerLines());
  if (wanted === undefined) return;
  return become(authorizer, exchange, wanted);
}

/**
 * Tries each way. Of several refusals the first is told: it names the narrowest right that would have done. Upstream
 * begins with the way that the caller went the last time, which saves questions and makes answers depend on it.
 */
async function become(authorizer: Authorizer, exchange: Exchange, wanted: Wanted): Promise<void> {
  const request = attributesOf(exchange);
  let first: StatusError | undefined;
  for (const mode of modesOf(wanted, exchange.user)) {
    const refusal = await refusalOf(authorizer, { mode, wanted, request });
    if (refusal === undefined) {
      exchange.impersonator = exchange.user;
      exchange.user = userOf(wanted, mode);
      if (mode.name !== '') exchange.impersonation = `impersonate:${mode.name}`;
      return;
    }
    first ??= refusal;
  }
  throw first ?? status.unauthorized();
}

interface Attempt {
  readonly mode: ImpersonationMode;
  readonly wanted: Wanted;
  readonly request: RequestAttributes;
}

async function refusalOf(authorizer: Authorizer, { mode, wanted, request }: Attempt): Promise<StatusError | undefined> {
  const deed = onBehalf(mode, request);
  const signal = request.signal === undefined ? {} : { signal: request.signal };
  if (deed !== undefined) {
    const { decision, reason } = await authorizer.authorize(deed);
    if (decision !== 'allow') return denied(deed, reason);
  }
  let spared = 0;
  for (const question of partsOf(wanted, mode)) {
    const { asked } = question;
    if ('why' in question) return denied(asked, question.why);
    if (spared-- > 0) continue;
    const { decision, reason } = await authorizer.authorize({ ...asked, ...signal });
    if (question.spares !== undefined) spared = decision === 'allow' ? question.spares : 0;
    else if (decision !== 'allow') return denied(asked, reason);
  }
  return undefined;
}

/** Of a header that comes several times the first line counts, as with any header that has one value. */
function readWanted(lines: Iterable<readonly [name: string, value: string]>): Wanted | undefined {
  let name: string | undefined;
  let uid: string | undefined;
  const groups: string[] = [];
  const extra = new Map<string, string[]>();
  for (const [header, value] of lines) {
    if (!header.startsWith(ANY)) continue;
    if (header === 'impersonate-user') name ??= value;
    else if (header === 'impersonate-uid') uid ??= value;
    else if (header === 'impersonate-group') groups.push(value);
    else if (header.startsWith(EXTRA)) {
      const key = unescapeKey(header.slice(EXTRA.length));
      const values = extra.get(key);
      if (values === undefined) extra.set(key, [value]);
      else values.push(value);
    }
  }
  const wanted: Wanted = { name: name ?? '', uid: uid ?? '', groups, extra };
  if (wanted.name !== '') return wanted;
  if (wanted.uid !== '' || groups.length > 0 || extra.size > 0)
    throw status.badRequest(`requested ${goText(wanted)} without impersonating a user name`);
  return undefined;
}

/** As Go prints what the headers said. */
function goText({ name, uid, groups, extra }: Wanted): string {
  const texts = (values: readonly string[]): string => values.map((value) => JSON.stringify(value)).join(', ');
  const entries = [...extra].map(([key, values]) => `${JSON.stringify(key)}:[]string{${texts(values)}}`);
  const of = groups.length === 0 ? '[]string(nil)' : `[]string{${texts(groups)}}`;
  const more = extra.size === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  return `&user.DefaultInfo{Name:${JSON.stringify(name)}, UID:${JSON.stringify(uid)}, Groups:${of}, Extra:${more}}`;
}

function userOf(wanted: Wanted, mode: ImpersonationMode): UserInfo {
  const { name, uid, extra } = wanted;
  return {
    name,
    groups: groupsOf(wanted, mode),
    ...(uid === '' ? {} : { uid }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

/** Who names no groups has their own; everybody is either authenticated or not. */
function groupsOf(wanted: Wanted, mode: ImpersonationMode): string[] {
  const asked = wanted.groups;
  const groups = new Set(asked.length === 0 ? ownGroups(wanted, mode) : asked);
  if (wanted.name === ANONYMOUS.name) groups.add(UNAUTHENTICATED);
  else if (!groups.has(UNAUTHENTICATED)) groups.add(AUTHENTICATED);
  return [...groups];
}
