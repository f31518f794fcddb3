/**
 * The ways in which a caller may be somebody else (KEP 5284): four constrained ones, which also ask whether the caller
 * may do just this as somebody else, and the plain right to impersonate. Pure: what has to be asked, in which order.
 */
import type { UserInfo } from '@binnacle/machinery';
import { MASTERS, nodeNameIn, parseServiceAccount, serviceAccountGroups } from '../access/users.ts';
import type { RequestAttributes } from '../ports/authorization.ts';

/** Whom the caller wants to be, as the headers say it. */
export interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** One way: the narrowest is tried first. */
export interface ImpersonationMode {
  /** As verbs name it; '' for the plain right. */
  readonly name: '' | 'associated-node' | 'arbitrary-node' | 'serviceaccount' | 'user-info';
  /** Who it is that asks: an associated node's agent is the same on all nodes. */
  readonly caller: UserInfo;
}

/** What has to be allowed for a way; each question may be answered by a broader one. */
export interface Question {
  readonly asked: RequestAttributes;
  /** Where this is allowed, so many of the following need not be asked; absent: it has to be allowed. */
  readonly spares?: number;
}

/** A way that cannot be gone whatever the authorizer says. */
export interface Impossible {
  readonly asked: RequestAttributes;
  readonly why: string;
}

const NODE_NAME = 'authentication.kubernetes.io/node-name';
const ASSOCIATED_KEYS = 'authentication.kubernetes.io/associated-node-keys';
const AUTHENTICATION = 'authentication.k8s.io';
/** From so many on, one question about all of them is tried first. */
const MANY = 4;
const DOMAIN_PREFIXED =
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** The ways that there are to become `wanted`, in the order of their being tried. */
export function modesOf(wanted: Wanted, caller: UserInfo): readonly ImpersonationMode[] {
  const plain: ImpersonationMode = { name: '', caller };
  const node = nodeNameIn(wanted.name);
  const isAccount = parseServiceAccount(wanted.name) !== undefined;
  if (node === undefined && !isAccount) return [{ name: 'user-info', caller }, plain];
  if (wanted.uid !== '' || wanted.groups.length > 0 || wanted.extra.size > 0) return [plain];
  if (isAccount) return [{ name: 'serviceaccount', caller }, plain];
  const arbitrary: ImpersonationMode = { name: 'arbitrary-node', caller };
  if (!isAgentOf(caller, node)) return [arbitrary, plain];
  const extra = { [ASSOCIATED_KEYS]: Object.keys(caller.extra ?? {}).toSorted() };
  return [{ name: 'associated-node', caller: { ...caller, extra } }, arbitrary, plain];
}

function isAgentOf(caller: UserInfo, node: string | undefined): boolean {
  const nodes = caller.extra?.[NODE_NAME] ?? [];
  return parseServiceAccount(caller.name) !== undefined && nodes.length === 1 && nodes[0] === node;
}

/** Whether the caller may do what the request is about in the name of others; undefined: the plain right does not ask. */
export function onBehalf(
  { name, caller }: ImpersonationMode,
  request: RequestAttributes,
): RequestAttributes | undefined {
  return name === '' ? undefined : { ...request, user: caller, verb: `impersonate-on:${name}:${request.verb}` };
}

/** Whether the caller may be each part of `wanted`. */
export function* partsOf(wanted: Wanted, mode: ImpersonationMode): Generator<Question | Impossible> {
  const ask = askerOf(mode);
  yield { asked: nameQuestion(ask, wanted.name, mode) };
  if (wanted.uid !== '') yield { asked: ask({ group: AUTHENTICATION, resource: 'uids', name: wanted.uid }) };
  yield* groupQuestions(ask, wanted.groups, mode);
  yield* extraQuestions(ask, wanted.extra, mode);
}

type Part = Pick<RequestAttributes, 'group' | 'resource' | 'name'> &
  Partial<Pick<RequestAttributes, 'subresource' | 'namespace'>>;
type Asker = (part: Part) => RequestAttributes;

function askerOf({ name, caller }: ImpersonationMode): Asker {
  const verb = name === '' ? 'impersonate' : `impersonate:${name}`;
  return (part) => ({
    subresource: '',
    namespace: '',
    ...part,
    user: caller,
    verb,
    isResource: true,
    path: '',
    version: 'v1',
  });
}

/** The constrained ways have names and groups in a group of their own. */
function groupOf({ name }: ImpersonationMode): string {
  return name === '' ? '' : AUTHENTICATION;
}

function nameQuestion(ask: Asker, wanted: string, mode: ImpersonationMode): RequestAttributes {
  const group = groupOf(mode);
  const account = parseServiceAccount(wanted);
  if (account !== undefined) return ask({ group, resource: 'serviceaccounts', ...account });
  const node = mode.name === '' ? undefined : nodeNameIn(wanted);
  if (node === undefined) return ask({ group, resource: 'users', name: wanted });
  return ask({ group, resource: 'nodes', name: mode.name === 'associated-node' ? '*' : node });
}

function* groupQuestions(
  ask: Asker,
  groups: readonly string[],
  mode: ImpersonationMode,
): Generator<Question | Impossible> {
  const group = groupOf(mode);
  const about = (name: string): RequestAttributes => ask({ group, resource: 'groups', name });
  if (mode.name !== '') {
    if (groups.includes('')) yield { asked: about(''), why: 'impersonating the empty string group is not allowed' };
    if (groups.includes(MASTERS)) {
      yield { asked: about(MASTERS), why: `impersonating the ${MASTERS} group is not allowed` };
    }
    if (groups.length >= MANY) yield { asked: about('*'), spares: groups.length };
  }
  for (const name of groups) yield { asked: about(name) };
}

function* extraQuestions(
  ask: Asker,
  extra: Wanted['extra'],
  mode: ImpersonationMode,
): Generator<Question | Impossible> {
  const about = (subresource: string, name: string): RequestAttributes =>
    ask({ group: AUTHENTICATION, resource: 'userextras', subresource, name });
  const all = [...extra].flatMap(([key, values]) => values.map((value) => ({ key, value })));
  if (mode.name !== '') {
    const why = mistakeIn(extra);
    if (why !== undefined) yield { asked: about('', ''), why };
    if (extra.size >= MANY || all.length >= MANY) yield { asked: about('*', '*'), spares: all.length };
  }
  for (const { key, value } of all) yield { asked: about(key, value) };
}

function mistakeIn(extra: Wanted['extra']): string | undefined {
  for (const [key, values] of extra) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    if (!DOMAIN_PREFIXED.test(key)) {
      const why = `extra.key: Invalid value: ${JSON.stringify(key)}: must be a domain-prefixed path (such as "acme.io/foo")`;
      return `impersonating an invalid key in extra is not allowed: ${why}`;
    }
    if (key !== key.toLowerCase()) {
      return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`;
    }
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}

/** The groups of somebody who named none: accounts have theirs, and nodes where no more than their name is believed. */
export function ownGroups({ name }: Wanted, mode: ImpersonationMode): readonly string[] {
  const account = parseServiceAccount(name);
  if (account !== undefined) return serviceAccountGroups(account.namespace);
  return mode.name === 'associated-node' || mode.name === 'arbitrary-node' ? ['system:nodes'] : [];
}
