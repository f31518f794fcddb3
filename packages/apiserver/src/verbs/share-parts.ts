import { deepEqual } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { asDraft } from '../storage/draft.ts';

type Members = { [name: string]: unknown };

/**
 * Takes over what stayed as it was, members of members at the least, from the version before: whoever compares the two
 * afterwards sees at once that it is the same, and it is kept once. The metadata stays the object's own, as it is yet to
 * be written into. Nothing else is: an object that holds both old and new is made anew.
 */
export function shareParts(object: KubeObject, before: KubeObject): void {
  const draft: Members = asDraft(object);
  const old: Members = asDraft(before);
  for (const name in draft) {
    if (draft[name] === old[name] || !Object.hasOwn(old, name)) continue;
    draft[name] = withPartsOf(old[name], draft[name], name !== 'metadata');
  }
}

/** `isWhole`: the old value itself will do where all is the same. */
function withPartsOf(old: unknown, value: unknown, isWhole: boolean): unknown {
  if (!isMembers(old) || !isMembers(value)) return deepEqual(old, value) ? old : value;
  let shared: Members | undefined;
  let isSame = isWhole;
  for (const name in value) {
    const [was, is] = [old[name], value[name]];
    if (was === is) continue;
    if (typeof is !== 'object' || is === null || !Object.hasOwn(old, name) || !deepEqual(was, is)) isSame = false;
    else (shared ??= { ...value })[name] = was;
  }
  if (isSame && hasNoMore(old, value)) return old;
  return shared ?? value;
}

/** Whether all that the old one has is in the new one too. */
function hasNoMore(old: Members, value: Members): boolean {
  for (const name in old) if (old[name] !== undefined && !Object.hasOwn(value, name)) return false;
  return true;
}

/** An object of members; numbers that are kept by their digits are compared as a whole. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
