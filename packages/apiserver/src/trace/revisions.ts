import { formatTime } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import { CompactedError } from '@binnacle/store';
import type { Store } from '@binnacle/store';
import type { PastRevision, PastRevisionList } from '@binnacle/trace';
import { readHistory } from '../cache/history.ts';
import { cacheEvent } from '../cache/event.ts';
import type { CacheEvent } from '../cache/event.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { AnyCall, Reply, ServedResource } from '../catalogue/definition.ts';
import { keyOf } from '../storage/keys.ts';
import { withRevision } from '../storage/object-bytes.ts';
import { parseAbout } from './about.ts';
import { REVISION_COLUMNS } from './columns.ts';
import { continuedFrom, limitOf, readingFor } from './hops.ts';
import type { TraceWorld } from './hops.ts';
import { TRACE_API_VERSION } from './hops-of-record.ts';
import type { Reading } from './hops-of-record.ts';
import { latestRevisions, makerOf, REVISIONS_MAX } from './latest-revisions.ts';
import type { ObjectName } from './trace-index.ts';

/** What reading the past needs beside the trace. */
export interface RevisionsWorld extends TraceWorld {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly feed: TraceWorld['feed'] & { readonly prove: (() => void) | undefined };
}

/**
 * GET on `revisions`: the versions of one object that the store still has, page by page backwards; in a page the oldest first.
 * Without an object the latest writes of all.
 */
export async function listRevisions(world: RevisionsWorld, call: AnyCall): Promise<Reply> {
  const about = parseAbout(call.query.get('about'), call.info.namespace);
  if (about === undefined) return latestRevisions(world, call);
  const before = continuedFrom(call.query.get('continue'));
  const reading = await readingFor(world, call);
  const served = servedOf(world.catalogue, about);
  if (served === undefined || served.info.namespaced !== (about.namespace !== '')) {
    throw status.notFound({ group: about.group, resource: about.resource }, about.name);
  }
  if (!(await reading.viewer.mayGet(about))) {
    const who = JSON.stringify(call.user.name);
    throw status.forbidden(served.info, about.name, `User ${who} cannot get it, and so not what it was`);
  }
  await served.stored.cache.start();
  const { events, compactedBefore } = await pastOf(world, served, about);
  const limit = limitOf(call.query, REVISIONS_MAX);
  const asked = events.filter(({ revision }) => revision < before);
  const shown = asked.slice(-limit);
  const next = shown.length < asked.length ? shown[0]?.revision : undefined;
  const entries = shown.flatMap(({ after, before }) => after ?? before ?? []);
  if (!served.native) await served.prepare(entries);
  const list: PastRevisionList = {
    apiVersion: TRACE_API_VERSION,
    kind: 'RevisionList',
    metadata: {
      resourceVersion: String(world.feed.revision),
      ...(next === undefined ? {} : { continue: String(next) }),
    },
    ...(compactedBefore === undefined ? {} : { compactedBefore: String(compactedBefore) }),
    items: await Promise.all(shown.map((event) => revisionOf(reading, { served, about }, event))),
  };
  return { kind: 'object', code: 200, object: list, items: list.items, columns: REVISION_COLUMNS };
}

/** In the version that is stored where it is served, else in any. */
function servedOf(catalogue: Catalogue, { group, resource }: ObjectName): ServedResource | undefined {
  const stored = catalogue.stored({ group, resource });
  if (stored === undefined) return undefined;
  const { info } = stored;
  const served = catalogue.find(group, info.version, resource);
  if (served !== undefined) return served;
  const other = catalogue.infos.find((one) => one.group === group && one.resource === resource);
  return other === undefined ? undefined : catalogue.find(group, other.version, resource);
}

interface Past {
  readonly events: readonly CacheEvent[];
  /** What came before this revision is compacted, and something of the object was there. */
  readonly compactedBefore?: number;
}

async function pastOf({ store, feed }: RevisionsWorld, served: ServedResource, about: ObjectName): Promise<Past> {
  const { cache } = served.stored;
  const only = keyOf(about.namespace !== '', about.namespace, about.name);
  const until = feed.revision;
  for (let after = (await store.status()).compactRevision; ;) {
    try {
      const events = await readHistory(store, cache, { after, until, prove: feed.prove, only });
      if (events === undefined)
        throw status.requestEntityTooLarge('the history of the object is too large to be shown');
      const oldest = events.length === 0 ? cache.get(only) : events[0]?.before;
      if (after === 0 || oldest === undefined) return { events };
      // The version that was there when the rest was compacted is still known.
      return { events: [cacheEvent(oldest.revision, oldest, oldest), ...events], compactedBefore: oldest.revision };
    } catch (error) {
      // Compacted since it was asked.
      if (!(error instanceof CompactedError) || error.compactRevision <= after) throw error;
      after = error.compactRevision;
    }
  }
}

interface About {
  readonly served: ServedResource;
  readonly about: ObjectName;
}

async function revisionOf(
  reading: Reading,
  { served, about }: About,
  { revision, before, after }: CacheEvent,
): Promise<PastRevision> {
  const commit = reading.index.commit(revision);
  const isSeen = commit !== undefined && (await reading.viewer.maySee(commit));
  const entry = after ?? before;
  const { namespace, name, group, resource } = about;
  const place = namespace === '' ? {} : { namespace };
  return {
    apiVersion: TRACE_API_VERSION,
    kind: 'Revision',
    metadata: {
      name: String(revision),
      ...place,
      ...(commit === undefined ? {} : { creationTimestamp: formatTime(commit.at) }),
    },
    revision: String(revision),
    type: after === undefined ? 'DELETED' : before === undefined ? 'ADDED' : 'MODIFIED',
    about: { group, resource, ...place, name },
    ...(commit === undefined ? {} : await makerOf(reading, commit)),
    cause: isSeen ? { type: 'hop', hop: String(commit.seq) } : { type: 'forgotten', revision: String(revision) },
    object: entry === undefined ? undefined : withRevision(served.view(entry), revision),
  };
}
