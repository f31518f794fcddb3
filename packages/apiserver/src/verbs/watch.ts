import type { Random } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { StatusError } from '@binnacle/machinery';
import { CompactedError } from '@binnacle/store';
import type { Store } from '@binnacle/store';
import type { Entry } from '../cache/entry.ts';
import type { Feed } from '../cache/feed.ts';
import { readHistory } from '../cache/history.ts';
import { walk } from '../cache/snapshot-map.ts';
import type { Chunks } from '../cache/snapshot-map.ts';
import { itemOf, selects } from '../cache/transition.ts';
import type { WatchCache } from '../cache/watch-cache.ts';
import type { OpenWatch, WatchItem, WatchOutput, WatchSource } from '../cache/watch-source.ts';
import { added } from '../cache/watcher.ts';
import type { WatcherOptions, Watchers } from '../cache/watcher.ts';
import type { Call, Handler, ServedResource } from '../catalogue/definition.ts';
import type { WatchRecord } from '../recording/record.ts';
import { toldQuery } from '../request/told-request.ts';
import type { RequestInfo } from '../request/info.ts';
import { queryTextOf } from '../request/uri.ts';
import { planOf } from './watch-plan.ts';
import type { WatchPlan } from './watch-plan.ts';

export interface WatchWorld {
  readonly store: Store;
  readonly feed: Feed;
  readonly watchers: Watchers;
  readonly random: Random;
  /** Whether deliveries are recorded. */
  readonly isTraced?: boolean;
  /** Counts watches that are open: the answer is called when one ends. Absent: nobody does. */
  readonly lasting?: ((info: RequestInfo) => () => void) | undefined;
}

/** GET on a collection with `watch`, and the legacy `/watch/` paths. */
export function createWatch(world: WatchWorld): Handler<Call> {
  const { feed, random } = world;
  return async (call) => {
    const plan = planOf(call, { now: feed.revision, random });
    const { served } = call;
    // Above what the caches know the caller is ahead of this server: wait for it, as for a list.
    if (plan.from > feed.revision) await feed.waitFor(plan.from);
    else if (plan.snapshot && plan.fresh) await feed.waitUntilFresh();
    const { cache } = served.stored;
    const inRing = plan.snapshot || cache.eventsAfter(plan.from) !== undefined;
    const { lasting } = world;
    const asked = {
      ...plan,
      traced: world.isTraced === true ? watchRecord(call) : undefined,
      onOpen: lasting === undefined ? undefined : () => lasting(call.info),
    };
    const source = inRing ? fromCache(world, served, asked) : await fromHistory(world, served, asked);
    return { kind: 'watch', served, source };
  };
}

/** What is asked for, and by whom. */
interface AskedWatch extends WatchPlan {
  readonly traced: WatchRecord | undefined;
  readonly onOpen: (() => () => void) | undefined;
}

function watchRecord({ cause, user, impersonator, request, info, served }: Call): WatchRecord {
  const { group, resource } = served.stored.info;
  const { id, component } = cause;
  return {
    ...{ id, agent: component, path: info.path, query: toldQuery(info, queryTextOf(request)), group, resource },
    user: (impersonator ?? user).name,
    impersonated: impersonator === undefined ? undefined : user.name,
  };
}

function fromCache({ feed, watchers }: WatchWorld, served: ServedResource, plan: AskedWatch): WatchSource {
  const { cache } = served.stored;
  return {
    open(output) {
      const since = feed.revision;
      // The snapshot is taken here, not when it is read.
      const initial = plan.snapshot ? heldItems(cache.snapshot(), since, plan) : ringItems(cache, plan);
      if (initial === undefined) return refused(output, tooOld(plan.from, cache.ringSince));
      return watchers.open({ ...watching(served, plan), initial, since, output });
    },
  };
}

function watching(
  { stored, native, prepare }: ServedResource,
  { selection, bookmarks, timeoutMs, traced, onOpen }: AskedWatch,
): Omit<WatcherOptions, 'initial' | 'since' | 'output'> {
  const { cache } = stored;
  return { cache, traced, onOpen, selection, bookmarks, timeoutMs, prepare: native ? undefined : prepare };
}

function* heldItems(chunks: Chunks<Entry>, revision: number, plan: WatchPlan): Generator<WatchItem> {
  const { selection } = plan;
  const prefix = selection.namespace === '' ? '' : `${selection.namespace}/`;
  for (const entry of walk(chunks, prefix, '')) if (selects(selection, entry)) yield added(entry);
  if (plan.marksEnd && plan.bookmarks) yield { type: 'BOOKMARK', revision, initialEnd: true };
}

function ringItems(cache: WatchCache, { from, selection }: WatchPlan): Iterator<WatchItem> | undefined {
  const events = cache.eventsAfter(from);
  return events?.flatMap((event) => itemOf(event, selection) ?? [])[Symbol.iterator]();
}

/** From below the ring: the store's history first, then the ring's live events. */
async function fromHistory(
  { store, feed, watchers }: WatchWorld,
  served: ServedResource,
  plan: AskedWatch,
): Promise<WatchSource> {
  const { cache } = served.stored;
  const until = feed.revision;
  try {
    const events = await readHistory(store, cache, { after: plan.from, until, prove: feed.prove });
    if (events === undefined) return { open: (output) => refused(output, tooOld(plan.from, cache.ringSince)) };
    const items = events.flatMap((event) => itemOf(event, plan.selection) ?? []);
    return {
      open(output) {
        const since = feed.revision;
        const recent = cache.eventsAfter(until);
        if (recent === undefined) return refused(output, tooOld(plan.from, cache.ringSince));
        const initial = [...items, ...recent.flatMap((event) => itemOf(event, plan.selection) ?? [])];
        return watchers.open({ ...watching(served, plan), initial: initial[Symbol.iterator](), since, output });
      },
    };
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error;
    return { open: (output) => refused(output, tooOld(plan.from, cache.ringSince)) };
  }
}

/** Upstream answers a watch that it cannot resume with a stream of one ERROR event. */
function refused(output: WatchOutput, error: StatusError): OpenWatch {
  queueMicrotask(() => output.end(error));
  return { stop: () => undefined, resume: () => undefined };
}

function tooOld(asked: number, oldest: number): StatusError {
  return status.expired(`too old resource version: ${asked} (${oldest})`);
}
