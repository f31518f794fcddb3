import { isObject } from '../schema/member.ts';
import { badRequest } from '../status-error.ts';

/**
 * RFC 7396: members of the patch replace those of the document, null removes; in objects of a list too, as upstream's
 * library has it where the RFC takes a list as it comes. The input is not changed, untouched
 * parts are shared. Throws StatusError 400 for a patch that is no object.
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) {
    throw badRequest(
      'error decoding patch: json: cannot unmarshal the patch into Go value of type map[string]interface {}',
    );
  }
  return merge(document, patch);
}

function merge(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return withoutNulls(patch);
  const members = new Map<string, unknown>(isObject(document) ? Object.entries(document) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) members.delete(key);
    else members.set(key, merge(members.get(key), value));
  }
  return Object.fromEntries(members);
}

/** The same one where its objects have no nulls; items that are null stay. */
function withoutNulls(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const items = value.map((item: unknown) => (isObject(item) ? merge({}, item) : withoutNulls(item)));
  return items.every((item, at) => item === value[at]) ? value : items;
}
