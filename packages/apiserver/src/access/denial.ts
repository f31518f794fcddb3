import { status } from '@binnacle/machinery';
import type { StatusError } from '@binnacle/machinery';
import type { RequestAttributes } from '../ports/authorization.ts';

/** The 403 for a request that nobody allowed, in the words that clients of Kubernetes know. */
export function denied(attributes: RequestAttributes, reason: string): StatusError {
  const said = explain(attributes);
  const why = reason === '' ? said : `${said}: ${reason}`;
  const resource = { group: attributes.group, resource: attributes.resource };
  return status.forbidden(attributes.isResource ? resource : { group: '', resource: '' }, attributes.name, why);
}

function explain(attributes: RequestAttributes): string {
  const { user, verb, path, group, namespace } = attributes;
  const who = `User ${JSON.stringify(user.name)} cannot ${verb}`;
  if (!attributes.isResource) return `${who} path ${JSON.stringify(path)}`;
  const { resource, subresource } = attributes;
  const what = `resource "${subresource === '' ? resource : `${resource}/${subresource}`}" in API group "${group}"`;
  return `${who} ${what} ${namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`}`;
}
