import type { CallContext } from '@binnacle/base';
import { groupVersion } from '@binnacle/machinery';
import type { ApiCall, GroupVersionResource, UserInfo, WatchCall } from '@binnacle/machinery';
import { parseQuery, Query } from '../request/query.ts';
import type { ApiRequest, RequestBody } from '../request/api-request.ts';

const METHODS: { readonly [verb: string]: string } = {
  get: 'GET',
  list: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};
const PATCH_TYPES: { readonly [kind: string]: string } = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

export function requestOfCall(call: ApiCall, user: UserInfo): ApiRequest {
  const type = call.patch === undefined ? '' : (PATCH_TYPES[call.patch] ?? '');
  return {
    ...shared(call, user),
    method: METHODS[call.verb] ?? call.verb.toUpperCase(),
    path: pathOf(call),
    query: new Query(call.query ?? {}),
    header: (name) => (name === 'content-type' ? type : ''),
    body: call.body === undefined ? NO_BODY : { kind: 'value', value: call.body },
  };
}

export function requestOfWatch(call: WatchCall, user: UserInfo): ApiRequest {
  return {
    ...shared(call, user),
    method: 'GET',
    path: pathOf(call),
    query: new Query({ ...call.query, watch: 'true' }),
    header: () => '',
    body: NO_BODY,
  };
}

export function requestOfPath(target: string, user: UserInfo, context: CallContext | undefined): ApiRequest {
  const mark = target.indexOf('?');
  return {
    ...shared(context ?? {}, user),
    method: 'GET',
    path: mark === -1 ? target : target.slice(0, mark),
    query: parseQuery(mark === -1 ? '' : target.slice(mark + 1)),
    header: () => '',
    body: NO_BODY,
  };
}

const NO_BODY: RequestBody = { kind: 'none' };

function shared({ cause, signal }: CallContext, user: UserInfo): Pick<ApiRequest, 'user' | 'credentials'> {
  return {
    user,
    credentials: {},
    ...(cause === undefined ? {} : { cause }),
    ...(signal === undefined ? {} : { signal }),
  };
}

interface Target {
  readonly resource: GroupVersionResource;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

function pathOf({ resource, namespace, name, subresource }: Target): string {
  const root = resource.group === '' ? '/api' : '/apis';
  let path = `${root}/${groupVersion(resource)}`;
  if (namespace !== undefined && namespace !== '') path += `/namespaces/${encodeURIComponent(namespace)}`;
  path += `/${resource.resource}`;
  if (name !== undefined && name !== '') path += `/${encodeURIComponent(name)}`;
  return subresource === undefined || subresource === '' ? path : `${path}/${subresource}`;
}
