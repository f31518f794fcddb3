import type { ApiObject } from '../live/rows.ts';

/** An Event of the core group, in its older and its newer form. */
export interface EventObject extends ApiObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string;
  readonly eventTime?: string;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
  readonly involvedObject?: {
    readonly kind?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly namespace?: string;
    readonly apiVersion?: string;
  };
}

/** When it was seen last: milliseconds since the epoch; 0: it does not say. */
export function eventTimeOf({ series, lastTimestamp, eventTime, metadata }: EventObject): number {
  const told = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '';
  const atMs = Date.parse(told);
  return Number.isNaN(atMs) ? 0 : atMs;
}

/**
 * Whether an Event of an object's kind and name is about that very object: one of the same name before it had another uid.
 * Kubelets of older releases put a node's name in the place of its uid.
 */
export function isAbout({ involvedObject = {} }: EventObject, { metadata: { uid, name } }: ApiObject): boolean {
  const { uid: about = '' } = involvedObject;
  return about === '' || uid === undefined || about === uid || about === name;
}
