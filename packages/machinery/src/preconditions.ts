import type { Preconditions } from './generated/meta-v1.ts';
import type { GroupResource } from './object.ts';
import { conflict } from './status-error.ts';

/** An object as it is found; `resource`: as messages name it. */
export interface FoundObject {
  readonly resource: GroupResource;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Throws StatusError (409) where a caller meant another object of this name, or another state of it. */
export function checkPreconditions(meant: Preconditions | undefined, found: FoundObject): void {
  const { resource, name, uid, resourceVersion } = found;
  const differences = [
    { what: 'UID', wanted: meant?.uid, has: uid, may: 'deleted and then recreated' },
    { what: 'ResourceVersion', wanted: meant?.resourceVersion, has: resourceVersion, may: 'modified' },
  ];
  for (const { what, wanted, has, may } of differences) {
    if (wanted === undefined || wanted === has) continue;
    const why = `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${has})`;
    throw conflict(resource, name, `${why}. The object might have been ${may}`);
  }
}
