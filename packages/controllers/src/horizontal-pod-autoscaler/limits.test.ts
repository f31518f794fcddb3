import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { HorizontalPodAutoscalerBehavior } from '@binnacle/api/autoscaling/v2';
import { limit } from './limits.ts';
import type { Wish } from './limits.ts';

const NOW = 10_000_000;
const secondsAgo = (seconds: number): number => NOW - seconds * 1000;

interface Row {
  readonly name: string;
  readonly wish: Partial<Wish>;
  readonly recommended?: readonly (readonly [replicas: number, secondsAgo: number])[];
  readonly changed?: readonly (readonly [by: number, secondsAgo: number])[];
  readonly behavior?: HorizontalPodAutoscalerBehavior;
  readonly expected: readonly [replicas: number, able: string, limit: string, isLimited: boolean];
}

const up = { stabilizationWindowSeconds: 0, selectPolicy: 'Max' };
const down = { stabilizationWindowSeconds: 300, selectPolicy: 'Max' };
const pods = (value: number, periodSeconds = 60) => ({ type: 'Pods', value, periodSeconds });
const percent = (value: number, periodSeconds = 60) => ({ type: 'Percent', value, periodSeconds });
const all = [percent(100, 15)];

const ROWS: readonly Row[] = [
  { name: 'as proposed', wish: { proposed: 5 }, expected: [5, 'ReadyForNewScale', 'DesiredWithinRange', false] },
  { name: 'at most twice as many', wish: { proposed: 20 }, expected: [8, 'ReadyForNewScale', 'ScaleUpLimit', true] },
  {
    name: 'one grows to four',
    wish: { current: 1, proposed: 20 },
    expected: [4, 'ReadyForNewScale', 'ScaleUpLimit', true],
  },
  {
    name: 'no more than the maximum',
    wish: { proposed: 20, max: 6 },
    expected: [6, 'ReadyForNewScale', 'TooManyReplicas', true],
  },
  {
    name: 'no fewer than the minimum',
    wish: { proposed: 1, min: 2 },
    expected: [2, 'ReadyForNewScale', 'TooFewReplicas', true],
  },
  {
    name: 'on the way down the highest of the last five minutes',
    wish: { proposed: 1 },
    recommended: [
      [3, 100],
      [9, 400],
    ],
    expected: [3, 'ScaleDownStabilized', 'DesiredWithinRange', false],
  },
  {
    name: 'a behaviour without limits in sight',
    wish: { proposed: 5 },
    behavior: { scaleUp: { ...up, policies: all }, scaleDown: { ...down, policies: all } },
    expected: [5, 'ReadyForNewScale', 'DesiredWithinRange', false],
  },
  {
    name: 'pods per period, less what came already',
    wish: { proposed: 20 },
    changed: [
      [2, 30],
      [3, 90],
    ],
    behavior: { scaleUp: { ...up, policies: [pods(3)] }, scaleDown: { ...down, policies: all } },
    expected: [5, 'ReadyForNewScale', 'ScaleUpLimit', true],
  },
  {
    name: 'the largest of the policies',
    wish: { proposed: 20 },
    behavior: { scaleUp: { ...up, policies: [pods(3), percent(150)] }, scaleDown: { ...down, policies: all } },
    expected: [10, 'ReadyForNewScale', 'ScaleUpLimit', true],
  },
  {
    name: 'the smallest of the policies',
    wish: { proposed: 20 },
    behavior: {
      scaleUp: { ...up, selectPolicy: 'Min', policies: [pods(3), percent(150)] },
      scaleDown: { ...down, policies: all },
    },
    expected: [7, 'ReadyForNewScale', 'ScaleUpLimit', true],
  },
  {
    name: 'a share of one is rounded up',
    wish: { current: 1, proposed: 20 },
    behavior: { scaleUp: { ...up, policies: [percent(10)] }, scaleDown: { ...down, policies: all } },
    expected: [2, 'ReadyForNewScale', 'ScaleUpLimit', true],
  },
  {
    name: 'never up',
    wish: { proposed: 20 },
    behavior: { scaleUp: { ...up, selectPolicy: 'Disabled', policies: all }, scaleDown: { ...down, policies: all } },
    expected: [4, 'ReadyForNewScale', 'ScaleUpLimit', true],
  },
  {
    name: 'the lowest of the window on the way up',
    wish: { proposed: 6 },
    recommended: [[5, 30]],
    behavior: {
      scaleUp: { ...up, stabilizationWindowSeconds: 60, policies: all },
      scaleDown: { ...down, policies: all },
    },
    expected: [5, 'ScaleUpStabilized', 'DesiredWithinRange', false],
  },
  {
    name: 'the highest of the window on the way down',
    wish: { proposed: 1 },
    recommended: [
      [3, 200],
      [9, 301],
    ],
    behavior: { scaleUp: { ...up, policies: all }, scaleDown: { ...down, policies: all } },
    expected: [3, 'ScaleDownStabilized', 'DesiredWithinRange', false],
  },
  {
    name: 'pods per period on the way down',
    wish: { current: 10, proposed: 1 },
    changed: [[-1, 30]],
    behavior: {
      scaleUp: { ...up, policies: all },
      scaleDown: { ...down, stabilizationWindowSeconds: 0, policies: [pods(3)] },
    },
    expected: [8, 'ReadyForNewScale', 'ScaleDownLimit', true],
  },
  {
    name: 'never down',
    wish: { current: 10, proposed: 1 },
    behavior: {
      scaleUp: { ...up, policies: all },
      scaleDown: { stabilizationWindowSeconds: 0, selectPolicy: 'Disabled', policies: all },
    },
    expected: [10, 'ReadyForNewScale', 'ScaleDownLimit', true],
  },
];

for (const { name, wish, recommended = [], changed = [], behavior, expected } of ROWS) {
  test(`a proposal is limited: ${name}`, () => {
    const past = {
      recommendations: recommended.map(([replicas, ago]) => ({ replicas, atMs: secondsAgo(ago) })),
      changes: changed.map(([by, ago]) => ({ by, atMs: secondsAgo(ago) })),
    };
    const found = limit({ current: 4, proposed: 4, min: 1, max: 100, past, nowMs: NOW, ...wish }, behavior);
    assert.deepEqual([found.replicas, found.able.reason, found.limit.reason, found.isLimited], expected);
  });
}
