import type { UserInfo } from '@binnacle/machinery';
import type { RequestAttributes } from '../ports/authorization.ts';
import { requiredField } from '../request/required-field.ts';

/** `get core/pods/log ns/name` or `get /healthz` as request attributes, for tables of tests. */
export function attributesOf(user: UserInfo, text: string): RequestAttributes {
  const [verb = '', target = '', where = '', fieldSelector = ''] = text.split(' ');
  const none = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };
  if (target.startsWith('/')) return { user, verb, isResource: false, path: target, ...none };
  const [group = '', resource = '', subresource = ''] = target.split('/');
  const [namespace = '', name = ''] = where.split('/');
  return {
    user,
    verb,
    isResource: true,
    path: '',
    group: group === 'core' ? '' : group,
    version: 'v1',
    resource,
    subresource,
    namespace,
    name: name || (requiredField(fieldSelector, 'metadata.name') ?? ''),
    ...(fieldSelector === '' ? {} : { fieldSelector }),
  };
}
