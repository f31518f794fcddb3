import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import type { Timer } from '@binnacle/base';
import type { PodExplanation } from '@binnacle/trace';
import type { AnyCall } from '../catalogue/definition.ts';
import { Recorder, TRACE_BOUNDS } from '../recording/recorder.ts';
import { parseQuery } from '../request/query.ts';
import { answerExplanations } from './explanations.ts';
import type { TraceWorld } from './hops.ts';
import { TraceIndex } from './trace-index.ts';

/** A clock that goes on while somebody works, and on which others do something of their own in their turn. */
class BusyClock extends VirtualClock {
  workedMs = 0;
  turns = 0;
  others: () => void = () => undefined;

  override monotonic(): number {
    return super.monotonic() + this.workedMs;
  }

  override soon(task: () => void): Timer {
    this.turns++;
    this.others();
    queueMicrotask(task);
    return { cancel: () => undefined };
  }
}

test('others have their turn while thousands of decisions are put into words; those that come meanwhile are not awaited', async () => {
  const clock = new BusyClock();
  const recorder = new Recorder(clock, TRACE_BOUNDS);
  const decide = (name: string): void => {
    recorder.record({
      ...{ kind: 'decision', component: 'default-scheduler', name, startedAt: recorder.now(), durationMs: 0 },
      object: { group: '', resource: 'pods', namespace: 'default', name },
      detail: () => {
        clock.workedMs += 2;
        return { isComplete: true, refused: [], scored: [] };
      },
    });
  };
  const index = new TraceIndex(recorder, clock);
  const authorizer = { authorize: async () => ({ decision: 'allow' as const, reason: '' }) };
  const world = { recorder, index, authorizer, clock } as unknown as TraceWorld;
  for (let i = 0; i < 300; i++) decide(`p${i}`);
  await index.update();
  let more = 0;
  clock.others = () => {
    decide(`late-${more++}`);
    void index.update();
  };
  clock.turns = 0;
  const call = {
    ...{ query: parseQuery(''), request: { header: () => '' }, user: { name: 'u', groups: [] } },
    info: { namespace: '', verb: 'list', name: '' },
  } as unknown as AnyCall;
  const { items } = (await answerExplanations(world, call)) as unknown as { items: PodExplanation[] };
  // 600 ms of work, 5 ms at a time and the piece that begins within them.
  assert.deepEqual([items.length, clock.turns], [300, 100]);
});
