import { status } from '@binnacle/machinery';
import type { StatusError } from '@binnacle/machinery';
import { CompactedError } from '@binnacle/store';
import type { Entry } from '../cache/entry.ts';
import { walk } from '../cache/snapshot-map.ts';
import type { Chunks } from '../cache/snapshot-map.ts';
import type { Core } from '../core.ts';
import { readHistory } from '../cache/history.ts';
import { itemOf, selects } from '../cache/transition.ts';
import type { OpenWatch, WatchItem, WatchOutput, WatchSource } from '../cache/watch-source.ts';
import { added, Watcher } from '../cache/watcher.ts';
import type { Call } from '../catalogue/call.ts';
import type { Reply } from '../catalogue/reply.ts';
import { planOf } from './watch-plan.ts';
import type { WatchPlan } from './watch-plan.ts';

/** GET on a collection with `watch`, and the legacy `/watch/` paths. */
export async function watch(core: Core, call: Call): Promise<Reply> {
  const plan = planOf(core, call);
  const { served } = call;
  // Above what the caches know the caller is ahead of this server: wait for it, as for a list.
  if (plan.from > core.feed.revision) await core.feed.waitFor(plan.from);
  else if (plan.snapshot && plan.fresh) await core.feed.waitUntilFresh();
  const { cache } = served.stored;
  const inRing = plan.snapshot || cache.eventsAfter(plan.from) !== undefined;
  const source = inRing ? fromCache(core, call, plan) : await fromHistory(core, call, plan);
  return { kind: 'watch', served, source };
}

function fromCache(core: Core, call: Call, plan: WatchPlan): WatchSource {
  return {
    open(output) {
      const since = core.feed.revision;
      const initial = plan.snapshot ? snapshotItems(core, call, plan) : ringItems(call, plan);
      if (initial === undefined) return refused(output, tooOld(plan.from, call.served.stored.cache.ringSince));
      return openWatcher({ core, call, plan, output, initial, since });
    },
  };
}

interface Opening {
  readonly core: Core;
  readonly call: Call;
  readonly plan: WatchPlan;
  readonly output: WatchOutput;
  readonly initial: Iterator<WatchItem>;
  readonly since: number;
}

function openWatcher({ core, call, plan, output, initial, since }: Opening): OpenWatch {
  const { selection, bookmarks, timeoutMs } = plan;
  return new Watcher({ core, served: call.served, selection, bookmarks, timeoutMs, initial, since, output });
}

/** What is there now (the snapshot is taken here, not when it is read), and the closing bookmark if asked for. */
function snapshotItems(core: Core, call: Call, plan: WatchPlan): Iterator<WatchItem> {
  return heldItems(call.served.stored.cache.snapshot(), core.feed.revision, plan);
}

function* heldItems(chunks: Chunks<Entry>, revision: number, plan: WatchPlan): Generator<WatchItem> {
  const { selection } = plan;
  const prefix = selection.namespace === '' ? '' : `${selection.namespace}/`;
  for (const entry of walk(chunks, prefix, '')) if (selects(selection, entry)) yield added(entry);
  if (plan.marksEnd && plan.bookmarks) yield { type: 'BOOKMARK', revision, initialEnd: true };
}

function ringItems(call: Call, { from, selection }: WatchPlan): Iterator<WatchItem> | undefined {
  const events = call.served.stored.cache.eventsAfter(from);
  return events?.flatMap((event) => itemOf(event, selection) ?? [])[Symbol.iterator]();
}

/** From below the ring: the store's history first, then the ring's live events. */
async function fromHistory(core: Core, call: Call, plan: WatchPlan): Promise<WatchSource> {
  const { cache } = call.served.stored;
  const until = core.feed.revision;
  try {
    const events = await readHistory(core.store, cache, { after: plan.from, until });
    if (events === undefined) return { open: (output) => refused(output, tooOld(plan.from, cache.ringSince)) };
    const items = events.flatMap((event) => itemOf(event, plan.selection) ?? []);
    return {
      open(output) {
        const since = core.feed.revision;
        const recent = cache.eventsAfter(until);
        if (recent === undefined) return refused(output, tooOld(plan.from, cache.ringSince));
        const initial = [...items, ...recent.flatMap((event) => itemOf(event, plan.selection) ?? [])];
        return openWatcher({ core, call, plan, output, initial: initial[Symbol.iterator](), since });
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
