import type { TraceRecord } from '../recording/record.ts';
import type { ObjectName, TraceIndex } from './trace-index.ts';

/** A chain of causes is followed so far; what lies before is another story. */
const ANCESTORS_MAX = 64;
/** The largest story that is told: of a longer one the list says that it is cut. */
export const RECORDS_MAX = 5_000;

/**
 * The story of one object: what was done to it and said about it, what led to that, and what it led others to do. Reads
 * of it are no part of it; its Events are told by who recorded them, not by the requests that wrote them. The newest are
 * taken first: what there is no room for is how it began, and whoever follows a long story hears of what happens.
 */
export function storyOf(index: TraceIndex, object: ObjectName): Set<TraceRecord> {
  const own = index.about(object).filter((record) => record.kind !== 'delivery' && !isRead(record));
  const teller: Teller = { index, own: new Set(own), story: new Set() };
  for (let at = own.length - 1; at >= 0 && teller.story.size < RECORDS_MAX; at--) {
    const record = own[at];
    if (record === undefined) continue;
    tell(teller, record);
    if (record.kind !== 'component' || record.hop.id === undefined) continue;
    for (const call of index.callsOf(record.hop.id)) if (!isRead(call) && !isEvent(call)) tell(teller, call);
  }
  return teller.story;
}

interface Teller {
  readonly index: TraceIndex;
  /** What is about the object itself. */
  readonly own: ReadonlySet<TraceRecord>;
  readonly story: Set<TraceRecord>;
}

/** A record with what belongs to it and what led to it; of what is the object's own each step is followed as far. */
function tell({ index, own, story }: Teller, first: TraceRecord): void {
  let record: TraceRecord | undefined = first;
  for (let depth = 0; record !== undefined && depth < ANCESTORS_MAX; depth++) {
    if (story.size >= RECORDS_MAX || story.has(record)) return;
    if (own.has(record)) depth = 0;
    story.add(record);
    addParts(index, story, record);
    const cause = index.causeOf(record);
    record = cause.type === 'record' ? cause.record : undefined;
  }
}

/** The commits of a request, the opening of the watch that a delivery went to. */
function addParts(index: TraceIndex, story: Set<TraceRecord>, record: TraceRecord): void {
  if (record.kind === 'request') for (const commit of index.commitsOf(record.id)) story.add(commit);
  if (record.kind !== 'delivery') return;
  const opening = index.request(record.watch.id);
  if (opening !== undefined) story.add(opening);
}

function isRead(record: TraceRecord): boolean {
  return record.kind === 'request' && ['get', 'list', 'watch'].includes(record.verb);
}

function isEvent(record: TraceRecord): boolean {
  return record.kind === 'request' && record.resource === 'events';
}
