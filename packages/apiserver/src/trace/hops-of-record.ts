import { detailOf, formatTime } from '@binnacle/base';
import type { HopDetail, HopKind, TraceObject } from '@binnacle/base';
import { TRACE_GROUP, TRACE_VERSION } from '@binnacle/trace';
import type { HopCause, TraceHop } from '@binnacle/trace';
import type { CommitRecord, ComponentRecord, DeliveryRecord, RequestRecord, TraceRecord } from '../recording/record.ts';
import { auditIdOf } from '../request/exchange.ts';
import { parseQuery } from '../request/query.ts';
import { MASKED } from '../request/told-request.ts';
import { shownDecision } from './shown-decision.ts';
import type { ObjectName, TraceIndex } from './trace-index.ts';
import type { Viewer } from './viewer.ts';

/** Who looks at what. */
export interface Reading {
  readonly index: TraceIndex;
  readonly viewer: Viewer;
  /** What has a greater number is not read: it may have come in the middle of the reading. */
  readonly upTo: number;
}

/** How the API calls its own version. */
export const TRACE_API_VERSION = `${TRACE_GROUP}/${TRACE_VERSION}`;

/** A record in words, as one viewer may see it: a request with its decisions in several hops, all else in one. */
export async function hopsOfRecord(reading: Reading, record: TraceRecord): Promise<TraceHop[]> {
  const cause = await causeSeen(reading, record);
  switch (record.kind) {
    case 'request':
      return requestHops(reading, record, cause);
    case 'commit':
      return [hop(record, { ...commitWords(record), object: shownObject(reading, record), cause })];
    case 'delivery':
      return [hop(record, { ...deliveryWords(record), object: shownObject(reading, record), cause })];
    case 'component':
      return componentHops(reading, record, cause);
  }
}

/** A cause that the viewer may not see is said to be there, and no more. */
async function causeSeen({ index, viewer }: Reading, record: TraceRecord): Promise<HopCause> {
  const cause = index.causeOf(record);
  if (cause.type !== 'record') return cause;
  const seen = viewer.maySee(cause.record);
  const isSeen = seen instanceof Promise ? await seen : seen;
  return isSeen ? { type: 'hop', hop: String(cause.record.seq) } : { type: 'hidden' };
}

interface Words {
  readonly type: HopKind;
  readonly component: string;
  readonly title: string;
  readonly durationMs: number;
  readonly cause: HopCause;
  readonly part?: string;
  /** When it began, where that is not when the record did. */
  readonly at?: number;
  readonly user?: string;
  readonly impersonatedUser?: string | undefined;
  readonly object?: TraceObject | undefined;
  readonly revision?: string;
  readonly error?: string | undefined;
  readonly detail?: HopDetail | undefined;
}

function hop(record: TraceRecord, words: Words): TraceHop {
  const { part, object, error, detail, type, component, user, impersonatedUser, title, durationMs, revision, cause } =
    words;
  const { at = record.at } = words;
  const namespace = object?.namespace ?? '';
  return {
    apiVersion: TRACE_API_VERSION,
    kind: 'Hop',
    metadata: {
      name: part === undefined ? String(record.seq) : `${record.seq}.${part}`,
      ...(namespace === '' ? {} : { namespace }),
      resourceVersion: String(record.seq),
      creationTimestamp: formatTime(at),
    },
    type,
    component,
    ...(user === undefined ? {} : { user }),
    ...(impersonatedUser === undefined ? {} : { impersonatedUser }),
    title,
    atMs: at,
    durationMs: Math.round(durationMs * 1000) / 1000,
    ...(object === undefined ? {} : { object }),
    ...(revision === undefined ? {} : { revision }),
    cause,
    ...(error === undefined ? {} : { error }),
    ...(detail === undefined ? {} : { detail }),
  };
}

async function requestHops(reading: Reading, record: RequestRecord, cause: HopCause): Promise<TraceHop[]> {
  const object = shownObject(reading, record);
  const { verb, code, agent, id, user, impersonated, allowed, admitted, namespace } = record;
  const commits = reading.index.commitsOf(id);
  const revision = commits.at(-1)?.revision;
  const shared = { object, component: agent === '' ? user : agent, user, impersonatedUser: impersonated };
  const first = hop(record, {
    ...shared,
    type: verb === 'watch' ? 'watch' : 'request',
    title: `${record.method} ${record.path}${queryText(record)}`,
    durationMs: record.ms,
    ...(revision === undefined ? {} : { revision: String(revision) }),
    cause,
    error: record.error,
    detail: {
      verb,
      code,
      auditID: auditIdOf(id),
      ...(agent === '' ? {} : { userAgent: agent }),
      query: shownQuery(record),
    },
  });
  const own = { ...shared, component: 'kube-apiserver', cause: { type: 'hop', hop: String(record.seq) } as const };
  const decided = allowed !== undefined || code === 403;
  const mayRead = decided ? await reading.viewer.mayListBindings(namespace) : false;
  const reason = allowed ?? record.error ?? '';
  const authorization = hop(record, {
    ...own,
    part: 'authorization',
    type: 'authorization',
    title: `${allowed === undefined ? 'refused' : 'allowed'} ${verb} ${whatOf(record)}`,
    durationMs: 0,
    detail: { allowed: allowed !== undefined, ...(mayRead ? { reason: reason || 'group system:masters' } : {}) },
  });
  const admissions = (admitted ?? []).map((one, at) =>
    hop(record, {
      ...own,
      part: `admission-${at}`,
      type: 'admission',
      title: `${one.plugin} changed ${one.changed.join(', ')}`,
      durationMs: 0,
      detail: { ...one },
    }),
  );
  return [first, ...(decided ? [authorization] : []), ...admissions];
}

/** As rules name it: `pods/binding`. */
function whatOf({ resource, subresource, path }: RequestRecord): string {
  if (resource === '') return path;
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

function commitWords({ operation, revision, ms, cause }: CommitRecord) {
  return {
    type: 'commit' as const,
    component: 'store',
    title: `${operation} at revision ${revision}`,
    durationMs: ms,
    revision: String(revision),
    detail: { operation, by: cause.component },
  };
}

function deliveryWords({ type, revision, watch, key }: DeliveryRecord) {
  const { user, impersonated, agent, path, query } = watch;
  return {
    type: 'delivery' as const,
    component: agent,
    user,
    impersonatedUser: impersonated,
    title: `${type} ${watch.resource} ${key}`,
    durationMs: 0,
    revision: String(revision),
    detail: { event: type, path, query: Object.fromEntries(parseQuery(query).entries()) },
  };
}

/** A step, behind the time that it was due and waited in somebody's queue. */
async function componentHops(reading: Reading, record: ComponentRecord, cause: HopCause): Promise<TraceHop[]> {
  const words = await componentWords(reading, record);
  const { waitedMs } = record.hop;
  if (waitedMs === undefined) return [hop(record, { ...words, cause })];
  const { component, object, revision, user } = words;
  const waited = hop(record, {
    ...{ type: 'queue', part: 'queue', component, object, title: `in the queue: ${words.title}`, cause },
    ...(user === undefined ? {} : { user }),
    ...(revision === undefined ? {} : { revision }),
    at: record.at - waitedMs,
    durationMs: waitedMs,
    detail: { of: words.type },
  });
  return [waited, hop(record, { ...words, cause: { type: 'hop', hop: waited.metadata.name } })];
}

async function componentWords({ viewer }: Reading, { hop: told, reporter }: ComponentRecord) {
  const detail = detailOf(told);
  return {
    type: told.kind,
    component: told.component,
    ...(reporter === undefined ? {} : { user: reporter }),
    title: told.name,
    durationMs: told.durationMs,
    object: told.object,
    ...(told.revision === undefined ? {} : { revision: told.revision }),
    error: told.error,
    detail: told.kind === 'decision' && detail !== undefined ? await shownDecision(viewer, detail) : detail,
  };
}

function shownObject({ viewer }: Reading, record: TraceRecord): TraceObject | undefined {
  const object = viewer.objectOf(record);
  if (object === undefined) return record.kind === 'request' ? collectionOf(record) : undefined;
  const { uid } = record.kind === 'commit' ? record : {};
  return { ...named(object), ...(uid === undefined ? {} : { uid }) };
}

function collectionOf({ isResource, group, resource, namespace }: RequestRecord): TraceObject | undefined {
  return isResource ? named({ group, resource, namespace, name: '' }) : undefined;
}

function named({ group, resource, namespace, name }: ObjectName): TraceObject {
  return { group, resource, ...(namespace === '' ? {} : { namespace }), name };
}

/** As the ring has it: what is secret in it never came in. */
function shownQuery({ query }: RequestRecord): { readonly [name: string]: string } {
  return Object.fromEntries(parseQuery(query).entries());
}

function queryText(record: RequestRecord): string {
  const entries = Object.entries(shownQuery(record)).filter(([name, value]) => name !== 'command' && value !== MASKED);
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
}
