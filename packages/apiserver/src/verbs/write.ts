import type { Cause } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import type { Compare, KeyValue, Operation } from '@binnacle/store';
import type { Entry } from '../cache/entry.ts';
import type { Core } from '../core.ts';
import { asDraft } from '../storage/draft.ts';
import type { ServedResource, StoredResource } from '../catalogue/resource.ts';

/** What a compare-and-swap came to: the new entry, or the key as somebody else left it (undefined: gone). */
export type WriteOutcome =
  | { readonly written: true; readonly entry: Entry }
  | { readonly written: false; readonly found: KeyValue | undefined };

export interface WriteRequest {
  readonly served: ServedResource;
  /** `namespace/name`. */
  readonly key: string;
  /** In the served version, just built. */
  readonly object: KubeObject;
  /** The revision it replaces; 0: it must not exist. */
  readonly replaces: number;
  readonly cause: Cause;
}

/** `namespace/name`, or the name for cluster-scoped objects. */
export function keyOf(namespaced: boolean, namespace: string, name: string): string {
  return namespaced ? flat(namespace, '/', name) : name;
}

/** One text in one piece: keys are compared and hashed again and again, which a text in parts makes slow. */
function flat(...parts: readonly string[]): string {
  return parts.join('');
}

/** Puts an object where the key still is at the revision it replaces. Durable when it resolves. */
export async function putObject(core: Core, request: WriteRequest): Promise<WriteOutcome> {
  const { stored } = request.served;
  const object = request.served.toStored(request.object);
  const draft = asDraft(object);
  if (draft.metadata.resourceVersion !== undefined) draft.metadata.resourceVersion = undefined;
  const value = stored.bytes.encode(draft);
  const lease = stored.traits.ttlSeconds > 0 ? await core.leases.take(stored.traits.ttlSeconds) : 0;
  const key = flat(stored.cache.prefix, request.key);
  const put: Operation = { type: 'put', key, value, ...(lease ? { lease } : {}) };
  stored.cache.expect(key, { key: request.key, value, object });
  try {
    const result = await swap(core, { key, replaces: request.replaces, operation: put });
    if (!result.written) return { written: false, found: result.found };
    const { revision } = result;
    core.causes.remember(revision, request.cause);
    if (revision > core.feed.revision) await core.feed.waitFor(revision);
    return { written: true, entry: entryAt(stored, { key: request.key, revision, value }) };
  } finally {
    stored.cache.settled(key, value);
  }
}

/** Deletes a key that still is at this revision. Answers with the revision of the deletion. */
export async function deleteObject(
  core: Core,
  stored: StoredResource,
  at: { readonly entry: Entry; readonly cause: Cause },
): Promise<{ readonly written: true; readonly revision: number } | { written: false; found: KeyValue | undefined }> {
  const key = flat(stored.cache.prefix, at.entry.key);
  const operation: Operation = { type: 'delete', key };
  const result = await swap(core, { key, replaces: at.entry.revision, operation });
  if (!result.written) return result;
  core.causes.remember(result.revision, at.cause);
  await core.feed.waitFor(result.revision);
  await stored.strategy.release?.(at.entry.object);
  return result;
}

/** The key straight from the store. */
export async function readLive(core: Core, stored: StoredResource, key: string): Promise<Entry | undefined> {
  const { kvs } = await core.store.range({ key: stored.cache.prefix + key });
  return kvs[0] === undefined ? undefined : stored.cache.entryOf(kvs[0]);
}

type SwapResult = { written: true; revision: number } | { written: false; found: KeyValue | undefined };

async function swap(
  core: Core,
  { key, replaces, operation }: { readonly key: string; readonly replaces: number; readonly operation: Operation },
): Promise<SwapResult> {
  const compare: Compare = { target: 'modRevision', key, result: 'equal', value: replaces };
  const result = await core.store.txn({ compare: [compare], success: [operation], failure: [{ type: 'range', key }] });
  if (result.succeeded) return { written: true, revision: result.revision };
  const [found] = result.results;
  return { written: false, found: found?.type === 'range' ? found.kvs[0] : undefined };
}

/** The entry of a write that the cache has heard of: the cache's own, unless a later write is there already. */
function entryAt(
  stored: StoredResource,
  at: { readonly key: string; readonly revision: number; readonly value: Uint8Array },
): Entry {
  const entry = stored.cache.get(at.key);
  if (entry?.revision === at.revision) return entry;
  return stored.cache.entryOf({
    key: stored.cache.prefix + at.key,
    value: at.value,
    modRevision: at.revision,
    createRevision: 0,
    version: 0,
    lease: 0,
  });
}
