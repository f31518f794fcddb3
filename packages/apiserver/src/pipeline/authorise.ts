import type { UserInfo } from '@binnacle/machinery';
import type { Core } from '../core.ts';
import type { RequestAttributes } from '../ports/authorization.ts';
import { denied } from '../access/denial.ts';
import type { Exchange } from '../request/exchange.ts';

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
