import type { Key, RangeRequest, RangeResult } from '../ports.ts';
import { DamagedValueError } from '../errors.ts';
import type { Change, Entry } from './entry.ts';
import { DAMAGED } from './entry.ts';
import type { History, Past } from './history.ts';
import { takeBack } from './history.ts';
import type { Tree } from './ordered-map.ts';
import { countSpan, getEntry, walkSpan } from './ordered-map.ts';
import { spanOf } from './span.ts';
import type { Span } from './span.ts';

const NOTHING = new Uint8Array(0);

/** Reads the request's span of one snapshot. `revision` is what the answer says. */
export function readSpan(tree: Tree<Entry>, request: RangeRequest, revision: number): RangeResult {
  if (request.end === undefined) return readOne(getEntry(tree, request.key), request, revision);
  const span = spanOf(request.key, request.end);
  const count = countSpan(tree, span);
  if (request.countOnly === true) return { revision, kvs: [], more: false, count };
  const page = new Page(request);
  walkSpan(tree, span, (entry) => page.add(entry));
  return page.result(revision, count);
}

/** The answer as it fills. What is damaged is left out and does not count, so that a page is empty only at the end. */
class Page {
  readonly #kvs: Entry[] = [];
  readonly #keysOnly: boolean;
  readonly #limit: number;
  #damaged: Key[] | undefined;

  constructor(request: RangeRequest) {
    this.#keysOnly = request.keysOnly === true;
    this.#limit = request.limit === undefined || request.limit <= 0 ? Infinity : request.limit;
  }

  get full(): boolean {
    return this.#kvs.length >= this.#limit;
  }

  /** Whether there is room for another one. */
  add(entry: Entry): boolean {
    if (this.#keysOnly) this.#kvs.push(withoutValue(entry));
    else if (entry.value === DAMAGED) (this.#damaged ??= []).push(entry.key);
    else this.#kvs.push(entry);
    return !this.full;
  }

  result(revision: number, count: number): RangeResult {
    const kvs = this.#kvs;
    const damaged = this.#damaged;
    if (damaged === undefined) return { revision, kvs, more: count > kvs.length, count };
    return { revision, kvs, more: count > kvs.length + damaged.length, count, damaged };
  }
}

/** Reads the request's span as it was: a later snapshot with the changes since taken back. */
export function readPast(past: Past, request: RangeRequest, revision: number): RangeResult {
  if (past.before.size === 0) return readSpan(past.tree, request, revision);
  if (request.end === undefined) {
    const { key } = request;
    const entry = past.before.has(key) ? past.before.get(key) : getEntry(past.tree, key);
    return readOne(entry, request, revision);
  }
  const span = spanOf(request.key, request.end);
  const revived: Entry[] = [];
  let count = countSpan(past.tree, span);
  for (const [key, entry] of past.before) {
    if (entry !== undefined) revived.push(entry);
    count += (entry === undefined ? 0 : 1) - (getEntry(past.tree, key) === undefined ? 0 : 1);
  }
  if (request.countOnly === true) return { revision, kvs: [], more: false, count };
  revived.sort((a, b) => (a.key < b.key ? -1 : 1));
  const page = new Page(request);
  merge(past, revived, { span, page });
  return page.result(revision, count);
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

function merge(past: Past, revived: readonly Entry[], into: { readonly span: Span; readonly page: Page }): void {
  const { span, page } = into;
  let next = 0;
  const takeRevived = (upTo: Key | undefined): void => {
    for (let entry = revived[next]; entry !== undefined && !page.full; entry = revived[next]) {
      if (upTo !== undefined && entry.key > upTo) return;
      page.add(entry);
      next++;
    }
  };
  walkSpan(past.tree, span, (entry) => {
    takeRevived(entry.key);
    if (!page.full && !past.before.has(entry.key)) page.add(entry);
    return !page.full;
  });
  takeRevived(undefined);
}

/** Answers a request for one key with what it has. `revision` is what the answer says. */
export function readOne(entry: Entry | undefined, request: RangeRequest, revision: number): RangeResult {
  if (entry === undefined) return { revision, kvs: [], more: false, count: 0 };
  if (request.countOnly === true) return { revision, kvs: [], more: false, count: 1 };
  if (request.keysOnly === true) return { revision, kvs: [withoutValue(entry)], more: false, count: 1 };
  if (entry.value === DAMAGED) throw new DamagedValueError(entry.key);
  return { revision, kvs: [entry], more: false, count: 1 };
}

function withoutValue(entry: Entry): Entry {
  return { ...entry, value: NOTHING };
}
