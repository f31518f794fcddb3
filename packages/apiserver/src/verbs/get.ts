import { status } from '@binnacle/machinery';
import type { Entry } from '../cache/entry.ts';
import type { Core } from '../core.ts';
import type { Call } from '../catalogue/call.ts';
import type { Reply } from '../catalogue/reply.ts';
import { keyOf } from './write.ts';

/** GET of one object. */
export function get(core: Core, call: Call): Reply | Promise<Reply> {
  const version = call.query.get('resourceVersion');
  // resourceVersion=0 takes whatever the cache has; an embedded store's cache is never behind.
  if (core.feed.embedded && version === '') return found(call);
  return whenFresh(core, call, version);
}

async function whenFresh(core: Core, call: Call, version: string): Promise<Reply> {
  if (version === '') await core.feed.waitUntilFresh();
  else if (version !== '0') await core.feed.waitFor(parseRevision(version));
  return found(call);
}

function found(call: Call): Reply {
  return { kind: 'entry', code: 200, served: call.served, entry: entryOf(call) };
}

/** The object that a call names, from the cache; 404 when it is not there. */
export function entryOf(call: Call): Entry {
  const { served, info } = call;
  const entry = served.stored.cache.get(keyOf(served.info.namespaced, info.namespace, info.name));
  if (entry === undefined) throw status.notFound(served.info, info.name);
  return entry;
}

/** A resourceVersion as a number; 400 in upstream's words for anything else. */
export function parseRevision(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw status.badRequest(
    `Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
}
