import type { ObjectMeta } from './generated/meta-v1.ts';

/** An object of any kind, in normal form: what a schema walker returned. Shared and read-only (law 6). */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** A kind: the empty group is the core group. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A resource: the lower-case plural of a kind under a group and version. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A resource without version, as messages name it. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** `apps/v1`, or `v1` for the core group. */
export function groupVersion(of: { readonly group: string; readonly version: string }): string {
  return of.group === '' ? of.version : `${of.group}/${of.version}`;
}

/** Splits an `apiVersion`. */
export function parseGroupVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash === -1
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** `pods` or `deployments.apps`, as upstream's messages name a resource. */
export function resourceName(of: GroupResource): string {
  return of.group === '' ? of.resource : `${of.resource}.${of.group}`;
}
