import { GrowingBytes } from '@binnacle/base';
import type { CallContext } from '@binnacle/base';
import { groupVersion, status } from '@binnacle/machinery';
import type { ApiCall, GroupVersionResource, RawCall, UserInfo, WatchCall } from '@binnacle/machinery';
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
    isDeafToWarnings: true,
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

export function requestOfRaw(
  { path, method = 'GET', headers = {}, body, ...context }: RawCall,
  user: UserInfo,
): ApiRequest {
  const mark = path.indexOf('?');
  return {
    ...shared(context, user),
    method,
    path: mark === -1 ? path : path.slice(0, mark),
    query: parseQuery(mark === -1 ? '' : path.slice(mark + 1)),
    queryText: mark === -1 ? '' : path.slice(mark + 1),
    header: (name) => (Object.hasOwn(headers, name) ? (headers[name] ?? '') : ''),
    headerLines: () => Object.entries(headers),
    body: body === undefined ? NO_BODY : { kind: 'bytes', read: () => readWhole(body), stream: () => piecesOf(body) },
  };
}

/** As much as an object may be over HTTP. */
const BODY_BYTES_MAX = 3 * 1024 * 1024;

async function* piecesOf(body: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield body;
  else yield* body;
}

async function readWhole(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  const bytes = new GrowingBytes();
  for await (const part of body) {
    if (bytes.length + part.length > BODY_BYTES_MAX) throw status.requestEntityTooLarge(`limit is ${BODY_BYTES_MAX}`);
    bytes.add(part);
  }
  return bytes.take();
}

const NO_BODY: RequestBody = { kind: 'none' };

function shared({ cause, fence, signal }: CallContext, user: UserInfo): Pick<ApiRequest, 'user' | 'credentials'> {
  return {
    user,
    credentials: {},
    ...(cause === undefined ? {} : { cause }),
    ...(fence === undefined ? {} : { fence }),
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
