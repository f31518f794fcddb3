import { parsePath } from './path.ts';
import type { PathInfo } from './path.ts';
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

/** A list or watch that is narrowed to one name is, for authorisation, about that name. */
const ONE_NAME = /(?:^|,)metadata\.name=(=?)([^,=!]+)(?:,|$)/;

export function requestInfo(request: ApiRequest): RequestInfo {
  const path = parsePath(request.path);
  if (!path.isResource) return { ...path, path: request.path, verb: request.method.toLowerCase() };
  const verb = path.legacyWatch ? 'watch' : resourceVerb(request, path);
  const selected = path.name === '' && (verb === 'list' || verb === 'watch');
  const name = selected ? (ONE_NAME.exec(request.query.get('fieldSelector'))?.[2] ?? '') : path.name;
  return { ...path, name, path: request.path, verb };
}

function resourceVerb(request: ApiRequest, path: PathInfo): string {
  // Other methods have no verb, so that only a rule for all verbs allows them.
  const verb = VERBS[request.method] ?? '';
  if (path.name !== '') return verb;
  if (verb === 'get') return request.query.bool('watch') ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}
