import type { Key, RangeRequest, RangeResult } from '../ports.ts';
import type { Change, Entry } from './entry.ts';
import type { History, Past } from './history.ts';
import { takeBack } from './history.ts';
import type { Tree } from './ordered-map.ts';
import { countSpan, getEntry, walkSpan } from './ordered-map.ts';
import { spanOf } from './span.ts';

const NOTHING = new Uint8Array(0);

/** Reads the request's span of one snapshot. `revision` is what the answer says. */
export function readSpan(tree: Tree<Entry>, request: RangeRequest, revision: number): RangeResult {
  if (request.end === undefined) return readOne(getEntry(tree, request.key), request, revision);
  const span = spanOf(request.key, request.end);
  const count = countSpan(tree, span);
  if (request.countOnly === true) return { revision, kvs: [], more: false, count };
  const limit = limitOf(request);
  const kvs: Entry[] = [];
  walkSpan(tree, span, (entry) => {
    kvs.push(request.keysOnly === true ? withoutValue(entry) : entry);
    return kvs.length < limit;
  });
  return { revision, kvs, more: count > kvs.length, count };
}

/** Reads the request's span as it was: a later snapshot with the changes since taken back. */
export function readPast(past: Past, request: RangeRequest, revision: number): RangeResult {
  if (past.before.size === 0) return readSpan(past.tree, request, revision);
  const span = spanOf(request.key, request.end);
  const revived: Entry[] = [];
  let count = countSpan(past.tree, span);
  for (const [key, entry] of past.before) {
    if (entry !== undefined) revived.push(entry);
    count += (entry === undefined ? 0 : 1) - (getEntry(past.tree, key) === undefined ? 0 : 1);
  }
  if (request.countOnly === true) return { revision, kvs: [], more: false, count };
  revived.sort((a, b) => (a.key < b.key ? -1 : 1));
  const kvs = merge(past, revived, request);
  const shown = request.keysOnly === true ? kvs.map(withoutValue) : kvs;
  return { revision, kvs: shown, more: count > kvs.length, count };
}

/** Where the past is read from. All is asked anew after waiting, because it moves on. */
export interface PastSource {
  readonly history: History;
  readonly archive: { readHistory(after: number, upTo: number): Promise<readonly Change[]> };
  readonly visible: () => Tree<Entry>;
  readonly revision: () => number;
  /** Throws when the revision is compacted away, or still to come. */
  readonly assertReadable: (revision: number) => void;
}

/** Reads the request as of revision `at`: from memory, and from the archive what memory has let go. */
export async function readAt(source: PastSource, request: RangeRequest, at: number): Promise<RangeResult> {
  const { history } = source;
  const span = spanOf(request.key, request.end);
  source.assertReadable(at);
  const archived = new Map<Key, Entry | undefined>();
  let after = at;
  while (after < history.floor) {
    const changes = await source.archive.readHistory(after, history.floor);
    // Compaction may have come past meanwhile, and taken out what the archive should have told.
    source.assertReadable(at);
    for (const change of changes) takeBack(change, span, archived);
    after = changes.at(-1)?.kv.modRevision ?? history.floor;
  }
  const recent = history.past(after, span, source.visible());
  const before = archived.size === 0 ? recent.before : new Map([...recent.before, ...archived]);
  return readPast({ tree: recent.tree, before }, request, source.revision());
}

function merge(past: Past, revived: readonly Entry[], request: RangeRequest): Entry[] {
  const limit = limitOf(request);
  const kvs: Entry[] = [];
  let next = 0;
  const takeRevived = (upTo: Key | undefined): void => {
    for (let entry = revived[next]; entry !== undefined && kvs.length < limit; entry = revived[next]) {
      if (upTo !== undefined && entry.key > upTo) return;
      kvs.push(entry);
      next++;
    }
  };
  walkSpan(past.tree, spanOf(request.key, request.end), (entry) => {
    takeRevived(entry.key);
    if (kvs.length < limit && !past.before.has(entry.key)) kvs.push(entry);
    return kvs.length < limit;
  });
  takeRevived(undefined);
  return kvs;
}

function readOne(entry: Entry | undefined, request: RangeRequest, revision: number): RangeResult {
  if (entry === undefined) return { revision, kvs: [], more: false, count: 0 };
  if (request.countOnly === true) return { revision, kvs: [], more: false, count: 1 };
  return { revision, kvs: [request.keysOnly === true ? withoutValue(entry) : entry], more: false, count: 1 };
}

function limitOf(request: RangeRequest): number {
  return request.limit === undefined || request.limit <= 0 ? Infinity : request.limit;
}

function withoutValue(entry: Entry): Entry {
  return { ...entry, value: NOTHING };
}
