import { status } from '@binnacle/machinery';
import type { UserInfo } from '@binnacle/machinery';
import type { Core } from '../core.ts';
import type { RequestAttributes } from '../ports.ts';
import type { Exchange } from './exchange.ts';

/** Asks whether the caller may. Throws 403 in upstream's words. */
export function authorise(core: Core, exchange: Exchange): void {
  const attributes = attributesOf(exchange);
  const { decision, reason } = core.policy.authorizer.authorize(attributes);
  if (decision !== 'allow') throw denied(attributes, reason);
}

function attributesOf({ info, request, user }: Exchange): RequestAttributes {
  const fieldSelector = request.query.get('fieldSelector');
  const labelSelector = request.query.get('labelSelector');
  return {
    user,
    verb: info.verb,
    isResource: info.isResource,
    path: info.path,
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
    ...(fieldSelector === '' ? {} : { fieldSelector }),
    ...(labelSelector === '' ? {} : { labelSelector }),
  };
}

/** `pods is forbidden: User "x" cannot list resource "pods" in API group "" in the namespace "default"`. */
export function denied(attributes: RequestAttributes, reason: string): Error {
  const { user, verb, isResource, path, group, namespace, name } = attributes;
  const why = reason === '' ? '' : `: ${reason}`;
  const who = `User ${JSON.stringify(user.name)} cannot ${verb}`;
  if (!isResource)
    return status.forbidden({ group: '', resource: '' }, '', `${who} path ${JSON.stringify(path)}${why}`);
  const resource =
    attributes.subresource === '' ? attributes.resource : `${attributes.resource}/${attributes.subresource}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const what = `resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group)}`;
  return status.forbidden({ group, resource: attributes.resource }, name, `${who} ${what} ${scope}${why}`);
}

/** Asks for an impersonation: a virtual verb on users and groups. */
export function mayImpersonate(
  core: Core,
  user: UserInfo,
  target: {
    readonly resource: 'users' | 'groups' | 'serviceaccounts';
    readonly namespace: string;
    readonly name: string;
  },
): void {
  const attributes: RequestAttributes = {
    user,
    verb: 'impersonate',
    isResource: true,
    path: '',
    group: '',
    version: '',
    resource: target.resource,
    subresource: '',
    namespace: target.namespace,
    name: target.name,
  };
  const { decision, reason } = core.policy.authorizer.authorize(attributes);
  if (decision !== 'allow') throw denied(attributes, reason);
}
