import { formatTime } from '@binnacle/base';
import type { PastRevision, PastRevisionList } from '@binnacle/trace';
import type { AnyCall, Reply } from '../catalogue/definition.ts';
import type { CommitRecord, RequestRecord } from '../recording/record.ts';
import { Turns } from '../request/turns.ts';
import { REVISION_COLUMNS } from './columns.ts';
import { continuedFrom, limitOf, readingFor } from './hops.ts';
import type { TraceWorld } from './hops.ts';
import { TRACE_API_VERSION } from './hops-of-record.ts';
import type { Reading } from './hops-of-record.ts';
import { objectOf } from './trace-index.ts';

const TYPES = { create: 'ADDED', update: 'MODIFIED', delete: 'DELETED' } as const;

/** How many revisions are told at once at the most. */
export const REVISIONS_MAX = 500;

/**
 * GET on `revisions` that names no object: the latest writes to objects that the viewer may read, as the ring knows them, page by
 * page backwards; in a page the oldest first. Without the objects, which are told one by one.
 */
export async function latestRevisions(world: TraceWorld, call: AnyCall): Promise<Reply> {
  const { info, query } = call;
  const before = continuedFrom(query.get('continue'));
  const reading = await readingFor(world, call);
  const limit = limitOf(query, REVISIONS_MAX);
  const items: PastRevision[] = [];
  let last = before;
  let next: number | undefined;
  const turns = new Turns(world.clock);
  for (const record of world.recorder.before(Math.min(before, reading.upTo + 1))) {
    if (record.kind !== 'commit') continue;
    if (items.length >= limit) {
      next = last;
      break;
    }
    last = record.seq;
    const about = objectOf(record);
    const isHere = info.namespace === '' || about?.namespace === info.namespace;
    if (isHere && (await reading.viewer.maySee(record))) items.push(await revisionOf(reading, record));
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  const list: PastRevisionList = {
    apiVersion: TRACE_API_VERSION,
    kind: 'RevisionList',
    metadata: {
      resourceVersion: String(world.feed.revision),
      ...(next === undefined ? {} : { continue: String(next) }),
    },
    items: items.toReversed(),
  };
  return { kind: 'object', code: 200, object: list, items: list.items, columns: REVISION_COLUMNS };
}

/** By whom and by which request a commit was made: the request itself is told to those who may see it. */
export async function makerOf(
  { index, viewer }: Reading,
  { cause, at }: CommitRecord,
): Promise<Pick<PastRevision, 'component' | 'request' | 'user' | 'impersonatedUser' | 'atMs'>> {
  const told = { component: cause.component, atMs: at };
  const request: RequestRecord | undefined = index.request(cause.id);
  if (request === undefined) return { ...told, request: cause.request };
  if (!(await viewer.maySee(request))) return told;
  const { user, impersonated } = request;
  return {
    ...told,
    request: cause.request,
    user,
    ...(impersonated === undefined ? {} : { impersonatedUser: impersonated }),
  };
}

async function revisionOf(reading: Reading, commit: CommitRecord): Promise<PastRevision> {
  const { namespace = '', group = '', resource = '', name = '' } = objectOf(commit) ?? {};
  const place = namespace === '' ? {} : { namespace };
  const revision = String(commit.revision);
  return {
    apiVersion: TRACE_API_VERSION,
    kind: 'Revision',
    metadata: { name: revision, ...place, creationTimestamp: formatTime(commit.at) },
    revision,
    type: TYPES[commit.operation],
    about: { group, resource, ...place, name },
    ...(await makerOf(reading, commit)),
    cause: { type: 'hop', hop: String(commit.seq) },
    object: undefined,
  };
}
