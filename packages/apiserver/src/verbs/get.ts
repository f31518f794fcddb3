import { status } from '@binnacle/machinery';
import { UnreadableObjectError } from '../cache/entry.ts';
import type { Entry } from '../cache/entry.ts';
import type { Feed } from '../cache/feed.ts';
import type { Call, Reply, Handler, StoredResource } from '../catalogue/definition.ts';
import { keyOf } from '../storage/keys.ts';
import { parseRevision } from './revision.ts';

/** GET of one object. */
export function createGet(feed: Feed): Handler<Call> {
  return (call) => {
    const version = call.query.get('resourceVersion');
    // resourceVersion=0 takes whatever the cache has; an embedded store's cache is never behind.
    if (feed.embedded && version === '' && call.served.native) return found(call, entryOf(call));
    return whenFresh(feed, call, version);
  };
}

async function whenFresh(feed: Feed, call: Call, version: string): Promise<Reply> {
  if (version === '') await feed.waitUntilFresh();
  else if (version !== '0') await feed.waitFor(parseRevision(version));
  const entry = entryOf(call);
  await call.served.prepare([entry]);
  return found(call, entry);
}

function found(call: Call, entry: Entry): Reply {
  return { kind: 'entry', code: 200, served: call.served, entry };
}

/** The object that a call names, from the cache; 404 when it is not there. */
export function entryOf(call: Call): Entry {
  const { served, info } = call;
  const key = keyOf(served.info.namespaced, info.namespace, info.name);
  const entry = served.stored.cache.get(key);
  if (entry !== undefined) return entry;
  refuseUnreadable(served.stored, key);
  throw status.notFound(served.info, info.name);
}

/** What is stored and cannot be read is not missing. Throws UnreadableObjectError, which is answered with 500. */
export function refuseUnreadable({ cache }: StoredResource, key: string): void {
  const why = cache.unreadable.get(key);
  if (why !== undefined) throw new UnreadableObjectError(cache.prefix + key, why);
}
