import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { isOnTheWay, ReportPace } from './report-pace.ts';
import type { StatusStep } from './report-pace.ts';

const STATUS = {
  replicas: 10,
  fullyLabeledReplicas: 10,
  readyReplicas: 4,
  availableReplicas: 3,
  terminatingReplicas: 2,
  observedGeneration: 1,
};

const ENDS = { up: { readyReplicas: 10, availableReplicas: 10 }, down: ['terminatingReplicas'] };

const ROWS: readonly (readonly [what: string, change: object, onTheWay: boolean])[] = [
  ['nothing', {}, false],
  ['one more is ready', { readyReplicas: 5 }, true],
  ['one more is available', { availableReplicas: 4 }, true],
  ['one more of both', { readyReplicas: 9, availableReplicas: 9 }, true],
  ['all are ready', { readyReplicas: 10 }, false],
  ['all are ready, and one more available', { readyReplicas: 10, availableReplicas: 4 }, false],
  ['all are available', { readyReplicas: 10, availableReplicas: 10 }, false],
  ['one is ready no longer', { readyReplicas: 3 }, false],
  ['one is ready, another available no longer', { readyReplicas: 5, availableReplicas: 2 }, false],
  ['one less is going', { terminatingReplicas: 1 }, true],
  ['none is going any more', { terminatingReplicas: 0 }, false],
  ['one more is going', { terminatingReplicas: 3 }, false],
  ['another number of pods', { replicas: 9, readyReplicas: 5 }, false],
  ['other labels', { fullyLabeledReplicas: 9, readyReplicas: 5 }, false],
  ['a newer definition', { observedGeneration: 2, readyReplicas: 5 }, false],
  ['all are ready, as many as were wanted before', { replicas: 9, readyReplicas: 10 }, false],
  ['more than all are ready', { readyReplicas: 11 }, true],
  ['a count that was not told', { readyReplicas: 5, other: 1 }, false],
  ['a failure', { conditions: [{ type: 'ReplicaFailure' }], readyReplicas: 5 }, false],
];

describe('what a set reports', () => {
  for (const [what, change, onTheWay] of ROWS) {
    it(`${what}: ${onTheWay ? 'can wait' : 'is told at once'}`, () =>
      assert.equal(isOnTheWay(STATUS, { ...STATUS, ...change }, ENDS), onTheWay));
  }

  it('the first report is told at once', () => assert.equal(isOnTheWay(undefined, STATUS, ENDS), false));

  it('is put off from the first time on that it could be, each set by itself', async () => {
    const clock = new VirtualClock();
    const pace = new ReportPace(clock);
    const after = { ...STATUS, readyReplicas: 5 };
    const waitMs = (key: string, step = { before: STATUS, after, ends: ENDS }): number => {
      let put = 0;
      const isPutOff = pace.isPutOff(key, step, { postpone: (ms) => (put = ms) });
      assert.equal(isPutOff, put > 0);
      return put;
    };
    assert.equal(waitMs('a'), 100);
    await clock.advance(60);
    assert.deepEqual([waitMs('a'), waitMs('b')], [40, 100]);
    await clock.advance(60);
    assert.deepEqual([waitMs('a'), waitMs('b')], [0, 40]);
    assert.equal(waitMs('a'), 100, 'told, and on the way again');
    assert.equal(waitMs('a', { before: STATUS, after: { ...STATUS, readyReplicas: 10 }, ends: ENDS }), 0);
    assert.equal(waitMs('a'), 100, 'told at once in between');
    await clock.advance(60);
    pace.forget('a');
    assert.equal(waitMs('a'), 100, 'gone, and another one');
  });

  it('counts the steps that are missing until one of the counts is at its end', () => {
    const pace = new ReportPace(new VirtualClock());
    const context = { postpone: () => undefined };
    const after = { ...STATUS, readyReplicas: 7, terminatingReplicas: 0 };
    const step = { before: { ...STATUS, terminatingReplicas: 0 }, after, ends: ENDS };
    assert.equal(pace.takesStep('a'), false, 'nothing was put off');
    pace.isPutOff('a', step, context);
    assert.deepEqual([pace.takesStep('a'), pace.takesStep('a'), pace.takesStep('a')], [true, true, false]);
    assert.equal(pace.takesStep('b'), false);
    pace.isPutOff('a', step, context);
    pace.begins('a');
    assert.equal(pace.takesStep('a'), false, 'what comes during a sync makes another one due');
    pace.isPutOff('a', { ...step, after: { ...after, terminatingReplicas: 1 } }, context);
    assert.equal(pace.takesStep('a'), false, 'the last one that goes is told at once');
    pace.isPutOff('a', step, context);
    pace.forget('a');
    assert.equal(pace.takesStep('a'), false);
  });

  it('is put off longer where reports take long, within bounds, and where its pods do not show yet', () => {
    const waits: number[] = [];
    const pace = new ReportPace(new VirtualClock());
    let key = 0;
    const wait = (step: StatusStep): unknown =>
      pace.isPutOff(`${key++}`, step, { postpone: (ms) => waits.push(Math.round(ms)) });
    const step = { before: STATUS, after: { ...STATUS, readyReplicas: 5 }, ends: ENDS };
    for (const reportMs of [1, 30, 5000, 1]) {
      for (let i = 0; i < 100; i++) pace.told(reportMs);
      wait(step);
    }
    assert.deepEqual(waits, [100, 300, 1000, 100]);
    const made = { ...step, after: { ...STATUS, replicas: 4 } };
    assert.deepEqual([wait(made), wait({ ...made, isBehind: true }), waits.length], [false, true, 5]);
  });
});
