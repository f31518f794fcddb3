import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import type { TraceHop, TraceHopList } from '@binnacle/trace';
import type { StreamListener } from '../api/streams.ts';
import { LiveStory } from './live-story.ts';
import type { LiveStoryView } from './live-story.ts';

const RING = { oldest: '1', newest: '9' } as unknown as TraceHopList['ring'];
const hop = (name: string): TraceHop => ({ metadata: { name }, title: name }) as unknown as TraceHop;
const list = (resourceVersion: string, ...names: readonly string[]): TraceHopList =>
  ({ items: names.map(hop), ring: RING, metadata: { resourceVersion } }) as unknown as TraceHopList;
const added = (name: string): string => `${JSON.stringify({ type: 'ADDED', object: hop(name) })}\n`;
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function follow(replies: readonly (TraceHopList | Error)[]) {
  const opened: { path: string; listener: StreamListener; isClosed: boolean }[] = [];
  const timers: { delayMs: number; run: () => void }[] = [];
  const views: LiveStoryView[] = [];
  const left = [...replies];
  const story = new LiveStory(
    '/hops?about=pods/a',
    {
      read: () => {
        const reply = left.shift() ?? new Error('nothing planned');
        return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
      },
      open: (path, listener) => {
        const one = { path, listener, isClosed: false };
        opened.push(one);
        return () => void (one.isClosed = true);
      },
      after: (delayMs, run) => {
        timers.push({ delayMs, run });
        return () => undefined;
      },
    },
    (view) => views.push(view),
  );
  const told = (): string | undefined =>
    views
      .at(-1)
      ?.hops.map(({ metadata }) => metadata.name)
      .join();
  return { story, opened, timers, views, told };
}

test('a story is read, followed from there, and followed anew when its stream breaks off, nothing told twice', async () => {
  const f = follow([list('7', 'a', 'b'), list('9', 'a', 'b', 'c', 'd')]);
  f.story.start();
  await settle();
  match(f.opened[0]?.path ?? '', /watch=true&resourceVersion=7$/);
  f.opened[0]?.listener.data(added('c'));
  equal(f.told(), 'a,b,c');
  f.opened[0]?.listener.ended('the connection was lost');
  equal(f.views.at(-1)?.error, 'the connection was lost');
  equal(f.told(), 'a,b,c');
  f.timers[0]?.run();
  await settle();
  equal(f.told(), 'a,b,c,d');
  equal(f.views.at(-1)?.error, undefined);
  match(f.opened[1]?.path ?? '', /resourceVersion=9$/);
});

test('a stream that the server ends in peace is opened anew without a word', async () => {
  const f = follow([list('7', 'a'), list('8', 'a')]);
  f.story.start();
  await settle();
  f.opened[0]?.listener.ended();
  equal(f.views.at(-1)?.error, undefined);
  f.timers[0]?.run();
  await settle();
  equal(f.opened.length, 2);
});

test('what is refused is told, and asked again less and less often', async () => {
  const f = follow([new Error('no'), new Error('no'), new Error('no')]);
  f.story.start();
  await settle();
  for (const at of [0, 1]) {
    f.timers[at]?.run();
    await settle();
  }
  equal(f.views.at(-1)?.error, 'no');
  deepEqual(
    f.timers.map(({ delayMs }) => delayMs),
    [500, 1000, 2000],
  );
});

test('after the stop nothing is told, opened or waited for', async () => {
  const f = follow([list('7', 'a'), list('8', 'b')]);
  f.story.start();
  f.story.stop();
  await settle();
  deepEqual([f.opened.length, f.timers.length, f.views.length], [0, 0, 0]);
  const g = follow([list('7', 'a')]);
  g.story.start();
  await settle();
  g.story.stop();
  equal(g.opened[0]?.isClosed, true);
  g.opened[0]?.listener.ended('late');
  equal(g.timers.length, 0);
});

test('what the viewer may not see is told once, and not asked for again', async () => {
  const f = follow([Object.assign(new Error('forbidden'), { code: 403 }), list('7', 'a')]);
  f.story.start();
  await settle();
  equal(f.views.at(-1)?.error, 'forbidden');
  deepEqual([f.timers.length, f.opened.length], [0, 0]);
});

test('who may read and not follow sees what there was', async () => {
  const f = follow([list('7', 'a'), list('8', 'a', 'b')]);
  f.story.start();
  await settle();
  f.opened[0]?.listener.status(403);
  f.opened[0]?.listener.data('{"kind":"Status"}');
  f.opened[0]?.listener.ended();
  deepEqual([f.told(), f.views.at(-1)?.isRead, f.views.at(-1)?.error], ['a', true, undefined]);
  equal(f.timers.length, 0);
});

test('a stream that is refused for another reason is asked for again', async () => {
  const f = follow([list('7', 'a')]);
  f.story.start();
  await settle();
  f.opened[0]?.listener.status(429);
  f.opened[0]?.listener.ended();
  deepEqual([f.views.at(-1)?.error, f.timers.length], ['HTTP 429', 1]);
});

test('a story that is cut says so, by the server, by a page behind it, or by what came since; a whole one does not', async () => {
  const many = Array.from({ length: 5_000 }, (_, at) => `h${at}`);
  const whole = list('7', ...many);
  const rows: readonly (readonly [reply: TraceHopList, came: string | undefined, isCut: boolean])[] = [
    [whole, undefined, false],
    [{ ...list('7', 'a'), isCut: true }, 'b', true],
    [{ ...whole, metadata: { ...whole.metadata, continue: '1' } }, undefined, true],
    [whole, 'h4999', false],
    [whole, 'b', true],
  ];
  for (const [reply, came, isCut] of rows) {
    const f = follow([reply]);
    f.story.start();
    await settle();
    if (came !== undefined) f.opened[0]?.listener.data(added(came));
    const view = f.views.at(-1);
    deepEqual([view?.isCut === true, (view?.hops.length ?? 0) <= 5_000], [isCut, true]);
  }
});
