import { RecentTable } from '@binnacle/base';
import { parsePath } from './path.ts';
import type { PathInfo } from './path.ts';
import { requiredField } from './required-field.ts';
import type { ApiRequest } from './api-request.ts';

/** What a request is about: its path and its verb. */
export interface RequestInfo extends PathInfo {
  /** `get list watch create update patch delete deletecollection`, or the lower-case method for other paths. */
  readonly verb: string;
  readonly path: string;
}

const VERBS: { readonly [method: string]: string } = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** What no object can be called, as no path can say it. */
const NO_SEGMENT = /^\.{1,2}$|[/%]/;

/** What is made is made at the same few paths again and again: what those say is found out once. */
const collections = new RecentTable<RequestInfo>(1024);
/** Longer paths are not remembered. */
const REMEMBERED_MAX = 256;

/** What a request is about; the same object for requests that make something at the same path. */
export function requestInfo(request: ApiRequest): RequestInfo {
  if (request.method !== 'POST') return readInfo(request);
  const known = collections.get(request.path);
  if (known !== undefined) return known;
  const info = readInfo(request);
  if (isCollection(request, info)) collections.set(info.path, Object.freeze(info));
  return info;
}

/** A path with a query behind it is a part of that text, which may be long, and would keep all of it. */
function isCollection({ query }: ApiRequest, { verb, isResource, name, path }: RequestInfo): boolean {
  return verb === 'create' && isResource && name === '' && path.length <= REMEMBERED_MAX && query.isEmpty;
}

function readInfo(request: ApiRequest): RequestInfo {
  const path = parsePath(request.path);
  if (!path.isResource) return { ...path, path: request.path, verb: request.method.toLowerCase() };
  if (path.legacyWatch) return { ...path, path: request.path, verb: 'watch' };
  const verb = resourceVerb(request, path);
  const isNarrowed = path.name === '' && (verb === 'list' || verb === 'watch');
  return { ...path, name: isNarrowed ? selectedName(request) : path.name, path: request.path, verb };
}

/** A list or watch that is narrowed to one name is, for authorisation, about that name. */
function selectedName({ query }: ApiRequest): string {
  const name = requiredField(query.get('fieldSelector'), 'metadata.name') ?? '';
  return NO_SEGMENT.test(name) ? '' : name;
}

function resourceVerb(request: ApiRequest, path: PathInfo): string {
  // Other methods have no verb, so that only a rule for all verbs allows them.
  const verb = VERBS[request.method] ?? '';
  if (path.name !== '') return verb;
  if (verb === 'get') return request.query.bool('watch') ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}
