import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testPod } from '../testing/node.ts';
import { groupByPriority, shutdownDelayMs, shutdownPeriods } from './periods.ts';

const CRITICAL = 2_000_000_000;
const none = { shutdownGraceMs: 0, shutdownGraceCriticalMs: 0, shutdownGraceByPriority: [] };

describe('periods of a shutdown', () => {
  for (const { name, wishes, wanted } of [
    { name: 'none', wishes: none, wanted: [] },
    {
      name: 'critical pods have their part of the whole',
      wishes: { ...none, shutdownGraceMs: 30_000, shutdownGraceCriticalMs: 10_000 },
      wanted: [
        { priority: 0, seconds: 20 },
        { priority: CRITICAL, seconds: 10 },
      ],
    },
    {
      name: 'by priority, in order',
      wishes: {
        ...none,
        shutdownGraceByPriority: [
          { priority: 100, seconds: 5 },
          { priority: 0, seconds: 7 },
        ],
      },
      wanted: [
        { priority: 0, seconds: 7 },
        { priority: 100, seconds: 5 },
      ],
    },
  ]) {
    test(name, () => assert.deepEqual(shutdownPeriods(wishes), wanted));
  }

  test('the machine is held up for all of them', () => {
    assert.equal(shutdownDelayMs(shutdownPeriods({ ...none, shutdownGraceMs: 30_000 })), 30_000);
  });
});

describe('groups of pods', () => {
  const periods = [
    { priority: -10, seconds: 1 },
    { priority: 0, seconds: 2 },
    { priority: 100, seconds: 3 },
    { priority: CRITICAL, seconds: 4 },
  ];
  const secondsOf = (priority: number | undefined): number | undefined =>
    groupByPriority(periods, [{ pod: testPod({ spec: priority === undefined ? {} : { priority } }) }])[0]?.seconds;
  for (const [priority, seconds] of [
    [-100, 1],
    [-10, 1],
    [-1, 1],
    [0, 2],
    [undefined, 2],
    [99, 2],
    [100, 3],
    [CRITICAL - 1, 3],
    [CRITICAL, 4],
    [CRITICAL + 1000, 4],
  ] as const) {
    test(`a pod of priority ${priority} has ${seconds} s`, () => assert.equal(secondsOf(priority), seconds));
  }

  test('nobody waits for a group without pods', () => assert.deepEqual(groupByPriority(periods, []), []));
});
