import type { UserInfo } from '@binnacle/machinery';

export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
/** Members may do anything, whatever RBAC says. */
export const MASTERS = 'system:masters';

/** Of a user's extra: which token or certificate it came with. */
export const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

const NODE_PREFIX = 'system:node:';
const ACCOUNT_PREFIX = 'system:serviceaccount:';

export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: [UNAUTHENTICATED] };

/** An authenticated user: `system:authenticated` is added to the groups. */
export function authenticatedUser(user: UserInfo): UserInfo {
  return user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}

/** The identity of a ServiceAccount, as its tokens carry it. */
export function serviceAccountUser(namespace: string, name: string, uid?: string): UserInfo {
  return {
    name: `${ACCOUNT_PREFIX}${namespace}:${name}`,
    ...(uid === undefined ? {} : { uid }),
    groups: [...serviceAccountGroups(namespace), AUTHENTICATED],
  };
}

/** The groups of all ServiceAccounts, and of those in a namespace. */
export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** The identity of a kubelet. */
export function nodeUser(nodeName: string): UserInfo {
  return { name: `${NODE_PREFIX}${nodeName}`, groups: ['system:nodes', AUTHENTICATED] };
}

/** The node that a kubelet speaks for; undefined for everybody else, empty for a kubelet without a name. */
export function nodeNameOf(user: UserInfo): string | undefined {
  if (!user.name.startsWith(NODE_PREFIX) || !user.groups.includes('system:nodes')) return undefined;
  return user.name.slice(NODE_PREFIX.length);
}

/** What a namespace and a ServiceAccount may be called. */
const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** The node's name out of `system:node:<name>`, whatever groups there are; undefined where it cannot be one. */
export function nodeNameIn(userName: string): string | undefined {
  if (!userName.startsWith(NODE_PREFIX)) return undefined;
  const name = userName.slice(NODE_PREFIX.length);
  return SUBDOMAIN.test(name) ? name : undefined;
}

/** Namespace and name out of `system:serviceaccount:<namespace>:<name>`; undefined where either cannot be one. */
export function parseServiceAccount(userName: string): { namespace: string; name: string } | undefined {
  if (!userName.startsWith(ACCOUNT_PREFIX)) return undefined;
  const [namespace = '', name = '', ...rest] = userName.slice(ACCOUNT_PREFIX.length).split(':');
  return rest.length === 0 && LABEL.test(namespace) && SUBDOMAIN.test(name) ? { namespace, name } : undefined;
}
