import { status, StatusError } from '@binnacle/machinery';
import { CompactedError, prefixEnd } from '@binnacle/store';
import type { Store } from '@binnacle/store';
import type { Entry } from '../cache/entry.ts';
import { walk } from '../cache/snapshot-map.ts';
import type { Feed } from '../cache/feed.ts';
import type { WatchCache } from '../cache/watch-cache.ts';
import { wholeSelection } from '../cache/selection.ts';
import type { Selection } from '../cache/selection.ts';
import type { Call, ListReply, ServedResource } from '../catalogue/definition.ts';
import { decodeToken, encodeToken } from './continue-token.ts';
import { listOptions } from './list-options.ts';
import type { ListOptions } from './list-options.ts';
import { selectionOf } from './selection.ts';

const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
const VERSION_EXPIRED = 'The resourceVersion for the provided list is too old.';

export interface ListerOptions {
  readonly store: Store;
  readonly feed: Feed;
}

interface ListRequest {
  readonly options: ListOptions;
  readonly selection: Selection;
}

interface PageRequest extends ListRequest {
  /** The revision that the reply carries. */
  readonly revision: number;
  /** Keys up to this one were shown already. */
  readonly after: string;
  /** The cache that answers, where it is one. */
  readonly from?: Pick<WatchCache, 'noteList'>;
}

/** Lists: from the cache where it shows the revision asked for, else from the store. */
export class Lister {
  readonly #store: Store;
  readonly #feed: Feed;

  constructor({ store, feed }: ListerOptions) {
    this.#store = store;
    this.#feed = feed;
  }

  /** GET on a collection. */
  async list(call: Call): Promise<ListReply> {
    const reply = await this.#list(call);
    warnOfUnreadable(call);
    if (!call.served.native) await call.served.prepare(reply.items);
    return reply;
  }

  async #list(call: Call): Promise<ListReply> {
    const options = listOptions(call);
    const selection = selectionOf(call);
    if (options.continue !== '') return this.#continued(call.served, { options, selection });
    if (options.match === 'Exact' && options.resourceVersion !== '') {
      return this.#atRevision(call.served, { options, selection, revision: options.resourceVersion, after: '' });
    }
    if (options.resourceVersion === '') await this.#feed.waitUntilFresh();
    else if (options.resourceVersion > 0) await this.#feed.waitFor(options.resourceVersion);
    return page(call.served, { options, selection, revision: this.#feed.revision, after: '' });
  }

  async #continued(served: ServedResource, request: ListRequest): Promise<ListReply> {
    const { revision, after } = decodeToken(request.options.continue);
    if (revision >= 0) return this.#atRevision(served, { ...request, revision, after });
    await this.#feed.waitUntilFresh();
    return page(served, { ...request, revision: this.#feed.revision, after });
  }

  /** As of a revision: the cache's state holds for every revision since the last change of the resource. */
  async #atRevision(served: ServedResource, request: PageRequest): Promise<ListReply> {
    if (request.revision > this.#feed.revision) await this.#feed.waitFor(request.revision);
    if (request.revision >= served.stored.cache.lastChange) return page(served, request);
    const { cache } = served.stored;
    const prefix = cache.prefix + namespacePrefix(request.selection);
    try {
      const { kvs } = await this.#store.range({ key: prefix, end: prefixEnd(prefix), revision: request.revision });
      const entries = kvs.map((kv) => cache.entryOf(kv)).filter((entry) => entry.key > request.after);
      return await select(served, request, entries);
    } catch (error) {
      throw error instanceof CompactedError ? expired(this.#feed.revision, request) : error;
    }
  }
}

/** Says what a list leaves out, because it cannot be read; the first by its key. */
function warnOfUnreadable(call: Call): void {
  const { cache } = call.served.stored;
  if (cache.unreadable.size === 0) return;
  const prefix = call.info.namespace === '' ? '' : `${call.info.namespace}/`;
  const left = [...cache.unreadable].filter(([key]) => key.startsWith(prefix));
  const [first] = left;
  if (first === undefined) return;
  const which = `${JSON.stringify(cache.prefix + first[0])} (${first[1]})`;
  const more = left.length > 1 ? ` and ${left.length - 1} more` : '';
  call.warn(`stored objects that cannot be read are left out: ${which}${more}`);
}

function expired(now: number, request: PageRequest): Error {
  if (request.options.continue === '') return status.expired(VERSION_EXPIRED);
  const { status: body } = status.expired(CONTINUE_EXPIRED);
  const token = encodeToken({ revision: -1, after: request.after });
  return new StatusError({
    ...body,
    metadata: { resourceVersion: String(now), continue: token },
  });
}

function page(served: ServedResource, request: PageRequest): ListReply | Promise<ListReply> {
  return select(served, { ...request, from: served.stored.cache }, candidates(served, request));
}

/** Where the form that is shown decides, it is made of all that may be selected before any of it is. */
function select(
  served: ServedResource,
  request: PageRequest,
  entries: Iterable<Entry>,
): ListReply | Promise<ListReply> {
  const { selection } = request;
  if (selection.shown === undefined) return cut(served, request, entries);
  const possible = [...entries].filter((entry) => selection.matches(entry));
  const whole = { ...request, selection: wholeSelection(selection) };
  const waiting = served.prepare(possible);
  return waiting === undefined ? cut(served, whole, possible) : waiting.then(() => cut(served, whole, possible));
}

/** The entries that may be selected, in order, by the narrowest way to find them. */
function* candidates(served: ServedResource, { selection, after }: PageRequest): Generator<Entry> {
  const { cache } = served.stored;
  const { namespace, key, indexed } = selection;
  if (key !== undefined) {
    const entry = cache.get(key);
    if (entry !== undefined && entry.key > after) yield entry;
    return;
  }
  if (indexed !== undefined) {
    for (const entry of cache.byIndex(indexed)) {
      if (entry.key > after && (namespace === '' || entry.namespace === namespace)) yield entry;
    }
    return;
  }
  const from = after === '' ? '' : `${after}\0`;
  yield* walk(cache.snapshot(), namespacePrefix(selection), from);
}

function namespacePrefix({ namespace }: Selection): string {
  return namespace === '' ? '' : `${namespace}/`;
}

/** Takes what is selected up to the limit, and says how to go on. */
function cut(served: ServedResource, request: PageRequest, entries: Iterable<Entry>): ListReply {
  const { limit } = request.options;
  const items: Entry[] = [];
  let [remaining, fetched] = [0, 0];
  for (const entry of entries) {
    fetched++;
    if (request.selection.narrowed && !request.selection.matches(entry)) continue;
    if (limit === 0 || items.length < limit) items.push(entry);
    else {
      remaining++;
      // With a selector the count is not told, so one more is enough to know that there is more.
      if (request.selection.narrowed) break;
    }
  }
  request.from?.noteList(fetched, items.length);
  const reply: ListReply = { kind: 'list', served, items, resourceVersion: String(request.revision) };
  if (remaining === 0) return reply;
  const token = encodeToken({ revision: request.revision, after: items.at(-1)?.key ?? '' });
  return { ...reply, continue: token, ...(request.selection.narrowed ? {} : { remainingItemCount: remaining }) };
}
