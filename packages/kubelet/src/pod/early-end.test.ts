import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '@binnacle/base/testing';
import { testPod } from '../testing/node.ts';
import { EarlyEnd } from './early-end.ts';
import type { PodWorld } from './world.ts';

function earlyEnd() {
  const clock = new VirtualClock();
  const told: string[] = [];
  const events = {
    pod: (_pod: unknown, type: string, { reason, message }: { reason: string; message: string }) =>
      void told.push(`${type} ${reason} ${message}`),
  };
  const world = { clock, events } as unknown as PodWorld;
  return { clock, told, end: new EarlyEnd(world) };
}

test('a rejection: its Event says why, its status that it is one', () => {
  const { told, end } = earlyEnd();
  end.reject(testPod(), { reason: 'OutOfcpu', message: 'no room' });
  assert.deepEqual(told, ['Warning OutOfcpu no room']);
  assert.equal(end.verdict?.message, 'Pod was rejected: no room');
});

describe('the deadline of a pod', () => {
  const rows: readonly {
    readonly name: string;
    readonly deadline?: number;
    /** Seconds before now. */
    readonly started?: number;
    readonly seen: number;
    readonly leftMs: number;
  }[] = [
    { name: 'none', seen: 100, leftMs: Infinity },
    { name: 'counts from when the pod began', deadline: 60, started: 20, seen: 5, leftMs: 40_000 },
    {
      name: 'counts from when it was first seen, where its status says nothing',
      deadline: 60,
      seen: 20,
      leftMs: 40_000,
    },
    { name: 'to the millisecond', deadline: 60, seen: 59.999, leftMs: 1 },
    { name: 'is over when it is reached', deadline: 60, seen: 60, leftMs: 0 },
    { name: 'is over behind it', deadline: 60, started: 300, seen: 1, leftMs: 0 },
  ];
  for (const { name, deadline, started, seen, leftMs } of rows) {
    test(name, () => {
      const { clock, told, end } = earlyEnd();
      const ago = (seconds: number): number => clock.now() - seconds * 1000;
      const pod = testPod({
        spec: {
          containers: [{ name: 'main' }],
          ...(deadline === undefined ? {} : { activeDeadlineSeconds: deadline }),
        },
        ...(started === undefined ? {} : { status: { startTime: new Date(ago(started)).toISOString() } }),
      });
      assert.equal(end.checkDeadline(pod, ago(seen)), leftMs);
      const message = 'Pod was active on the node longer than the specified deadline';
      const isOver = leftMs === 0;
      assert.deepEqual(end.verdict, isOver ? { phase: 'Failed', reason: 'DeadlineExceeded', message } : undefined);
      assert.deepEqual(told, isOver ? [`Normal DeadlineExceeded ${message}`] : []);
    });
  }
});

test('an eviction is a disruption, and has its own grace', () => {
  const { told, end } = earlyEnd();
  assert.equal(end.graceSeconds, Infinity, 'the pod’s own');
  end.end(testPod(), { reason: 'Evicted', message: 'too little memory', graceSeconds: 4 });
  assert.deepEqual(end.verdict, {
    phase: 'Failed',
    reason: 'Evicted',
    message: 'too little memory',
    disruption: 'too little memory',
  });
  assert.equal(end.graceSeconds, 4);
  assert.deepEqual(told, ['Warning Evicted too little memory']);
});

test('a rejection says what the node lacks', () => {
  const { told, end } = earlyEnd();
  end.reject(testPod(), { reason: 'OutOfcpu', message: 'Node didn’t have enough resource: cpu' });
  assert.equal(end.verdict?.reason, 'OutOfcpu');
  assert.equal(end.verdict.disruption, undefined);
  assert.deepEqual(told, ['Warning OutOfcpu Node didn’t have enough resource: cpu']);
});
