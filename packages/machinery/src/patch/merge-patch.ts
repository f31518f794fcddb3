import { isObject } from '../schema/member.ts';
import { badRequest } from '../status-error.ts';

/**
 * RFC 7396: members of the patch replace those of the document, null removes. The input is not changed, untouched
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
  if (!isObject(patch)) return patch;
  const members = new Map<string, unknown>(isObject(document) ? Object.entries(document) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) members.delete(key);
    else members.set(key, merge(members.get(key), value));
  }
  return Object.fromEntries(members);
}
