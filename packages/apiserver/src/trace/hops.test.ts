import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import type { Hop } from '@binnacle/base';
import type { TraceHop, TraceHopList } from '@binnacle/trace';
import type { AnyCall } from '../catalogue/definition.ts';
import { Recorder, TRACE_BOUNDS } from '../recording/recorder.ts';
import { parseQuery } from '../request/query.ts';
import { hopStream } from './hop-stream.ts';
import { limitOf, listHops } from './hops.ts';
import type { TraceWorld } from './hops.ts';
import { TraceIndex } from './trace-index.ts';

const callOf = (query: string): AnyCall =>
  ({
    query: parseQuery(query),
    request: { header: () => '' },
    info: { namespace: '' },
    user: { name: 'u', groups: [] },
  }) as unknown as AnyCall;

interface Scene {
  readonly clock: SetClock;
  readonly world: TraceWorld;
  readonly step: (id: string) => void;
}

/** A clock on the wall that somebody sets back. */
class SetClock extends VirtualClock {
  backMs = 0;

  override now(): number {
    return super.now() - this.backMs;
  }
}

/** `onAsk`: somebody is asked what the viewer may see. */
function sceneOf(onAsk: (scene: Scene) => void = () => undefined): Scene {
  const clock = new SetClock();
  const recorder = new Recorder(clock, TRACE_BOUNDS);
  const authorize = async () => {
    onAsk(scene);
    return { decision: 'allow' as const, reason: '' };
  };
  const step = (id: string): void => {
    const hop: Hop = {
      kind: 'kubelet',
      id,
      component: 'kubelet n',
      name: id,
      startedAt: recorder.now(),
      durationMs: 0,
    };
    recorder.record(hop);
  };
  const world = {
    ...{ recorder, index: new TraceIndex(recorder, clock), authorizer: { authorize }, clock },
    ...{ store: { status: async () => ({ compactRevision: 0 }) }, feed: { revision: 7 } },
  } as unknown as TraceWorld;
  const scene: Scene = { clock, world, step };
  return scene;
}

async function listed(world: TraceWorld, query = ''): Promise<TraceHopList> {
  const reply = await listHops(world, callOf(query));
  return (reply as unknown as { readonly object: TraceHopList }).object;
}

/** Titles of what is told, and where the last bookmark stands. */
async function told(
  world: TraceWorld,
  from: string,
): Promise<{ readonly titles: string[]; readonly at: string | undefined }> {
  const { pieces } = await hopStream(world, callOf(`watch=true&resourceVersion=${from}`)).next(true);
  const lines = [...pieces]
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly type: string; readonly object: TraceHop });
  const titles = lines.filter(({ type }) => type === 'ADDED').map(({ object }) => object.title);
  return { titles, at: lines.at(-1)?.object.metadata.resourceVersion };
}

test('what comes while a list is read is in the stream from there on', async () => {
  let isAsked = false;
  const { world, step, clock } = sceneOf((scene) => {
    if (!isAsked) scene.step('late');
    isAsked = true;
  });
  for (const id of ['one', 'two', 'three']) step(id);
  const { items, metadata } = await listed(world);
  assert.deepEqual(
    items.map(({ title }) => title),
    ['one', 'two', 'three'],
  );
  assert.equal(metadata.resourceVersion, '3');
  await clock.advance(1_000);
  assert.deepEqual(await told(world, metadata.resourceVersion), { titles: ['late'], at: '4' });
});

test('a bookmark stands before what is too young to be told', async () => {
  const { world, step, clock } = sceneOf();
  step('old');
  await clock.advance(1_000);
  step('young');
  assert.deepEqual(await told(world, '0'), { titles: ['old'], at: '1' });
  await clock.advance(1_000);
  assert.deepEqual(await told(world, '1'), { titles: ['young'], at: '2' });
});

test('pages go backwards over all parts of the trace, and end', async () => {
  const { world, step } = sceneOf();
  for (let at = 0; at < 7; at++) {
    if (at % 2 === 0) step(`step ${at}`);
    else
      world.recorder.record({
        kind: 'reconcile',
        component: 'c',
        name: `sync ${at}`,
        startedAt: world.recorder.now(),
        durationMs: 0,
      });
  }
  const pages: string[][] = [];
  for (let from: string | undefined = ''; from !== undefined;) {
    const { items, metadata } = await listed(world, `limit=3${from === '' ? '' : `&continue=${from}`}`);
    pages.push(items.map(({ title }) => title));
    from = metadata.continue;
  }
  assert.deepEqual(pages, [['step 4', 'sync 5', 'step 6'], ['sync 1', 'step 2', 'sync 3'], ['step 0']]);
});

test('what happened before the clock was set back is told at once, not when that time comes again', async () => {
  const { world, step, clock } = sceneOf();
  await clock.advance(7_200_000);
  step('before');
  clock.backMs = 3_600_000;
  await clock.advance(2_000);
  step('after');
  await clock.advance(1_000);
  const { titles, at } = await told(world, '0');
  assert.deepEqual([titles.toSorted(), at], [['after', 'before'], '2']);
});

test('who goes on from a number of another process is told all there is', async () => {
  const { world, step, clock } = sceneOf();
  for (const id of ['one', 'two']) step(id);
  await clock.advance(1_000);
  assert.deepEqual(await told(world, '3000000000000'), { titles: ['one', 'two'], at: '2' });
  assert.deepEqual((await told(world, '2')).titles, []);
});

for (const [query, limit] of [
  ['', 500],
  ['limit=0', 500],
  ['limit=-1', 500],
  ['limit=-9223372036854775808', 500],
  ['limit=1', 1],
  ['limit=4999', 4999],
  ['limit=9223372036854775807', 5000],
] as const) {
  test(`a list with "${query}" has ${limit} hops a page`, () => {
    assert.equal(limitOf(parseQuery(query), 5000), limit);
  });
}
