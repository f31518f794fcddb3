import { replyFailure } from '@binnacle/machinery';
import type { KubeObject, StatusError, WatchEvent, WatchHandle, WatchSink } from '@binnacle/machinery';
import { watchPassedOn } from './passed-on.ts';
import type { EventTaker } from './passed-on.ts';
import { bookmarkObject } from '../encode/watch-frame.ts';
import { withRevision } from '../storage/object-bytes.ts';
import type { Reply, ServedResource } from '../catalogue/definition.ts';
import type { OpenWatch, WatchItem, WatchOutput } from '../cache/watch-source.ts';

/** How a watch is asked for, and what is waited for before each event that another server tells. */
export interface WatchAsking {
  readonly ask: () => Promise<Reply>;
  readonly turn: () => Promise<void> | undefined;
}

/** Opens a watch whose events are the cache's own objects. `end` of the sink is called exactly once. */
export function openInProcess<T extends KubeObject>({ ask, turn }: WatchAsking, sink: WatchSink<T>): WatchHandle {
  let over = false;
  let open: OpenWatch | undefined;
  const finish = (error: Error | undefined): void => {
    if (over) return;
    over = true;
    open?.stop();
    sink.end(error);
  };
  ask().then(
    (reply) => {
      if (reply.kind === 'stream') {
        open = { stop: () => reply.cancel(), resume: () => undefined };
        if (over) reply.cancel();
        // Never rejects: it answers with what ended it.
        else void watchPassedOn(reply, 'the watch', takerOf({ isOver: () => over, sink, finish }, turn)).then(finish);
        return;
      }
      if (reply.kind !== 'watch') return finish(failureOf(reply));
      const { served, source } = reply;
      open = source.open(outputTo(served, { isOver: () => over, sink, finish }));
      // Whoever keeps account of watches hears of its end too.
      if (over) open.stop();
    },
    (error: unknown) => finish(error instanceof Error ? error : undefined),
  );
  return { stop: () => finish(undefined) };
}

/** An event that waited for its turn while the watch was stopped is told to nobody. */
function takerOf<T extends KubeObject>({ isOver, sink }: Target<T>, turn: WatchAsking['turn']): EventTaker {
  return {
    events(batch) {
      if (!isOver()) sink.events(batch as readonly WatchEvent<T>[]);
    },
    turn,
  };
}

/** What is no watch at all: nobody serves the path, or cannot. */
function failureOf(reply: Reply): Error {
  const code = 'code' in reply ? reply.code : 200;
  const text = reply.kind === 'text' ? String(reply.body) : `no watch but ${reply.kind}`;
  return replyFailure({ status: code, text }, 'the watch');
}

interface Target<T extends KubeObject> {
  readonly isOver: () => boolean;
  readonly sink: WatchSink<T>;
  readonly finish: (error: StatusError | undefined) => void;
}

function outputTo<T extends KubeObject>(served: ServedResource, { isOver, sink, finish }: Target<T>): WatchOutput {
  return {
    ready: true,
    immediate: true,
    items(batch) {
      if (!isOver()) sink.events(batch.map((item) => eventOf(served, item) as WatchEvent<T>));
    },
    end: finish,
  };
}

function eventOf(served: ServedResource, item: WatchItem): WatchEvent {
  if (item.type === 'BOOKMARK') return { type: 'BOOKMARK', object: bookmarkObject(served, item) };
  const { entry, event: change, type } = item;
  const told = change?.told;
  if (told !== undefined && told.by === served && told.event.type === type) return told.event;
  const event: WatchEvent = { type, object: withRevision(served.view(entry), item.revision), key: entry.key };
  if (change !== undefined) change.told = { by: served, event };
  return event;
}
