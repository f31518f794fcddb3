import { status } from '@binnacle/machinery';
import type { Core } from '../core.ts';
import { mayImpersonate } from './authorise.ts';
import type { Exchange } from '../request/exchange.ts';

const ACCOUNT = 'system:serviceaccount:';

/** `Impersonate-User` and `Impersonate-Group`: go on as somebody else, if the caller may. */
export function impersonate(core: Core, exchange: Exchange): void {
  const { request, user } = exchange;
  const name = request.header('impersonate-user');
  const grouped = request.header('impersonate-group');
  if (name === '' && grouped === '') return;
  const groups = grouped
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '');
  if (name === '') {
    if (groups.length > 0) throw status.badRequest('requested groups without impersonating a user');
    return;
  }
  const account = name.startsWith(ACCOUNT) ? name.slice(ACCOUNT.length).split(':') : undefined;
  const [namespace = '', accountName = ''] = account ?? [];
  if (account !== undefined && account.length === 2) {
    mayImpersonate(core, user, { resource: 'serviceaccounts', namespace, name: accountName });
  } else mayImpersonate(core, user, { resource: 'users', namespace: '', name });
  for (const group of groups) mayImpersonate(core, user, { resource: 'groups', namespace: '', name: group });
  const own =
    account === undefined || groups.length > 0 ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  const all = [...new Set([...groups, ...own, 'system:authenticated'])];
  exchange.user = { name, groups: name === 'system:anonymous' ? groups : all };
}
