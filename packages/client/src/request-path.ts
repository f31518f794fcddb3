import type { ApiCall, PatchKind, Verb, WatchCall } from '@binnacle/machinery';

const METHODS: Record<Verb, string> = {
  get: 'GET',
  list: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

const PATCH_TYPES: Record<PatchKind, string> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** The HTTP method of a verb. */
export function methodOf(verb: Verb): string {
  return METHODS[verb];
}

/** The Content-Type under which a call's body travels. */
export function contentTypeOf(call: ApiCall): string {
  return call.patch === undefined ? 'application/json' : PATCH_TYPES[call.patch];
}

/** The path and query of a call, as https://kubernetes.io/docs/reference/using-api/api-concepts/ lays them out. */
export function pathOf(call: ApiCall | WatchCall): string {
  const { group, version, resource } = call.resource;
  let path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  if (call.namespace !== undefined && call.namespace !== '')
    path += `/namespaces/${encodeURIComponent(call.namespace)}`;
  path += `/${resource}`;
  if ('name' in call && call.name !== undefined) path += `/${encodeURIComponent(call.name)}`;
  if ('subresource' in call && call.subresource !== undefined) path += `/${call.subresource}`;
  return path + queryOf(call.query);
}

function queryOf(query: { readonly [name: string]: string } | undefined): string {
  const parts = Object.entries(query ?? {}).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
