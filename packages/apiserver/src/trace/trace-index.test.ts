import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import type { Clock, Hop } from '@binnacle/base';
import { Recorder, TRACE_BOUNDS } from '../recording/recorder.ts';
import type { TraceBounds } from '../recording/recorder.ts';
import { TraceIndex } from './trace-index.ts';

const STEP: Hop = { kind: 'kubelet', component: 'kubelet n', name: 'step', startedAt: 0, durationMs: 0 };
const decision = (id: string): Hop => ({
  ...{ ...STEP, kind: 'decision', id, component: 'default-scheduler' },
  object: { group: '', resource: 'pods', namespace: 'a', name: 'p' },
});

/** A clock on which a millisecond passes at every look, so that work has to make way again and again. */
class SlowClock extends VirtualClock implements Clock {
  looks = 0;
  turns = 0;

  override monotonic(): number {
    return super.monotonic() + ++this.looks;
  }

  override soon(run: () => void): ReturnType<Clock['soon']> {
    this.turns++;
    queueMicrotask(run);
    return super.soon(() => undefined);
  }
}

function indexed(
  clock: Clock,
  bounds: TraceBounds = TRACE_BOUNDS,
): { readonly recorder: Recorder; readonly index: TraceIndex } {
  const recorder = new Recorder(clock, bounds);
  return { recorder, index: new TraceIndex(recorder, clock) };
}

test('what came is taken in piece by piece, and others have their turn in between', async () => {
  const clock = new SlowClock();
  const { recorder, index } = indexed(clock);
  for (let at = 0; at < 1_000; at++) recorder.record({ ...STEP, id: `s${at}` });
  const updates = [index.update(), index.update()];
  recorder.record({ ...STEP, id: 'later' });
  await Promise.all(updates);
  assert.ok(clock.turns > 100, `${clock.turns} turns`);
  assert.equal(index.seq, 1_001, 'the second update waited for the first, and took in what came meanwhile');
});

test('what the rings have let go of goes from the index too, once it is much, and what is left is found all the time', async () => {
  const clock = new SlowClock();
  const { recorder, index } = indexed(clock, { ...TRACE_BOUNDS, changes: { entries: 50, bytes: 1 << 20 } });
  recorder.record(decision('first'));
  await index.update();
  assert.equal(index.decisions.get('a/p')?.hop.id, 'first');
  for (let at = 0; at < 33_000; at += 50) {
    for (let one = 0; one < 49; one++) recorder.record({ ...STEP, id: `s${at + one}` });
    recorder.record(decision(`d${at}`));
    const before = index.decisions.get('a/p')?.hop.id;
    const update = index.update();
    assert.equal(index.decisions.get('a/p')?.hop.id, before, 'also while it is made anew');
    await update;
    assert.equal(index.decisions.get('a/p')?.hop.id, `d${at}`);
  }
  const about = index.about({ group: '', resource: 'pods', namespace: 'a', name: 'p' });
  assert.ok(about.length < 100, `${about.length} of 661 decisions`);
  assert.equal(index.seq, recorder.seq);
});

test('who asks after a failure is told what there is', async () => {
  const { recorder, index } = indexed(new SlowClock());
  recorder.record(decision('first'));
  const after = recorder.after.bind(recorder);
  recorder.after = () => {
    throw new TypeError('once');
  };
  await assert.rejects(index.update(), TypeError);
  recorder.after = after;
  await index.update();
  assert.equal(index.decisions.get('a/p')?.hop.id, 'first');
});
