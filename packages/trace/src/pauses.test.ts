import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { Pauses } from './pauses.ts';

const HOUR = { steps: 0, deadlineSeconds: 3600 };

function scene() {
  const clock = new VirtualClock();
  const pauses = new Pauses(clock);
  pauses.join('scheduler');
  const done: string[] = [];
  const act = (what: string, signal?: AbortSignal): void => {
    const held = pauses.pass('scheduler', { what, because: 'ADDED' }, signal);
    if (held === undefined) done.push(what);
    else void held.then(() => done.push(what));
  };
  return { clock, pauses, done, act };
}

test('held, it shows what it is about to do, takes one step when it may, and goes on when it is let go', async () => {
  const { clock, pauses, done, act } = scene();
  act('a');
  pauses.hold('scheduler', HOUR);
  for (const what of ['b', 'c', 'd']) act(what);
  await clock.advance(0);
  assert.deepEqual(done, ['a']);
  assert.deepEqual(
    pauses.get('scheduler')?.waiting.map(({ what }) => what),
    ['b', 'c', 'd'],
  );
  pauses.hold('scheduler', { ...HOUR, steps: 1 });
  await clock.advance(0);
  assert.deepEqual([done, pauses.get('scheduler')?.passed], [['a', 'b'], 1]);
  assert.equal(pauses.release('scheduler'), true);
  await clock.advance(0);
  assert.deepEqual(done, ['a', 'b', 'c', 'd']);
  assert.deepEqual([pauses.release('scheduler'), clock.pending], [false, 0]);
});

test('steps that are allowed before they are due are taken without waiting, in their order', async () => {
  const { clock, pauses, done, act } = scene();
  pauses.hold('scheduler', { ...HOUR, steps: 2 });
  for (const what of ['a', 'b', 'c']) act(what);
  await clock.advance(0);
  assert.deepEqual(done, ['a', 'b']);
});

test('a pause ends by its deadline, by the end of who waits, and with the process', async () => {
  const { clock, pauses, done, act } = scene();
  pauses.hold('scheduler', { steps: 0, deadlineSeconds: 10 });
  act('a');
  await clock.advance(11_000);
  assert.deepEqual([done, pauses.get('scheduler')?.order], [['a'], undefined]);
  pauses.hold('scheduler', HOUR);
  const abort = new AbortController();
  act('b', abort.signal);
  abort.abort();
  act('c', abort.signal);
  await clock.advance(0);
  assert.deepEqual([...done].toSorted(), ['a', 'b', 'c']);
  act('d');
  pauses.close();
  await clock.advance(0);
  assert.equal(done.at(-1), 'd');
  pauses.hold('scheduler', HOUR);
  act('e');
  assert.deepEqual([done.at(-1), clock.pending], ['e', 0]);
});

test('others are not held, and what never joined is not known', () => {
  const { pauses } = scene();
  pauses.hold('scheduler', HOUR);
  assert.equal(pauses.pass('kubelet.n1', { what: 'x' }), undefined);
  assert.equal(pauses.get('constructor'), undefined);
  assert.deepEqual(
    pauses.list().map(({ component }) => component),
    ['scheduler'],
  );
});

test('who follows is told of each change, and can ask what changed since', async () => {
  const { clock, pauses, act } = scene();
  pauses.join('kubelet.a');
  let told = 0;
  const stop = pauses.follow(() => told++);
  const changed = (version: number): string[] => pauses.changedAfter(version).map(({ component }) => component);
  const first = pauses.version;
  assert.deepEqual([changed(0), changed(first)], [['kubelet.a', 'scheduler'], []]);
  pauses.join('scheduler');
  act('nobody is held');
  assert.deepEqual([told, pauses.version], [0, first]);
  pauses.hold('scheduler', HOUR);
  act('b');
  assert.deepEqual([told, changed(first)], [2, ['scheduler']]);
  const second = pauses.version;
  pauses.release('scheduler');
  assert.deepEqual([told, changed(second)], [4, ['scheduler']]);
  stop();
  pauses.hold('kubelet.a', HOUR);
  await clock.advance(3_600_000);
  assert.deepEqual([told, clock.pending], [4, 0]);
});
