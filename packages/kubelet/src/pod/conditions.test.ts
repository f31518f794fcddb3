import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerStatus, PodSpec, PodStatus } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { seenOf, shown } from '../testing/seen.ts';
import { podConditions } from './conditions.ts';
import type { PodPhase } from './phase.ts';

const NOW = '2026-01-01T00:00:10Z';

function conditionsOf(
  regular: readonly ContainerStatus[],
  of: {
    spec?: Partial<PodSpec>;
    status?: PodStatus;
    phase?: PodPhase;
    init?: readonly ContainerStatus[];
    sandboxes?: [];
  } = {},
): Record<string, string> {
  const pod = testPod({ ...(of.spec ? { spec: of.spec } : {}), ...(of.status ? { status: of.status } : {}) });
  const seen = seenOf(pod, of.sandboxes === undefined ? {} : { sandboxes: of.sandboxes });
  const list = podConditions({ seen, phase: of.phase ?? 'Running', init: of.init ?? [], regular, now: NOW });
  return Object.fromEntries(list.map((c) => [c.type, [c.status, c.reason, c.message].filter(Boolean).join(' ')]));
}

test("everything is well, in upstream's order, with the generation", () => {
  const pod = testPod();
  const list = podConditions({
    seen: seenOf(pod),
    phase: 'Running',
    init: [],
    regular: [shown('main', { ready: true, started: true })],
    now: NOW,
  });
  assert.deepEqual(
    list.map((c) => `${c.type}=${c.status}`),
    ['PodReadyToStartContainers=True', 'Initialized=True', 'Ready=True', 'ContainersReady=True', 'PodScheduled=True'],
  );
  assert.ok(list.every((c) => c.observedGeneration === 1 && c.lastTransitionTime === NOW));
});

const rows: readonly [string, Parameters<typeof conditionsOf>, Record<string, string>][] = [
  [
    'not ready',
    [[shown('main')]],
    {
      Ready: 'False ContainersNotReady containers with unready status: [main]',
      ContainersReady: 'False ContainersNotReady containers with unready status: [main]',
    },
  ],
  ['status unknown', [[]], { Ready: 'False ContainersNotReady containers with unknown status: [main]' }],
  [
    'done',
    [[shown('main')], { phase: 'Succeeded' }],
    { Ready: 'False PodCompleted', ContainersReady: 'False PodCompleted', Initialized: 'True PodCompleted' },
  ],
  ['failed', [[shown('main')], { phase: 'Failed' }], { Ready: 'False PodFailed', ContainersReady: 'False PodFailed' }],
  ['no sandbox', [[shown('main')], { sandboxes: [] }], { PodReadyToStartContainers: 'False' }],
  [
    'init containers wait',
    [
      [shown('main')],
      { spec: { initContainers: [{ name: 'a' }, { name: 'b' }] }, init: [shown('a', { ready: true }), shown('b')] },
    ],
    { Initialized: 'False ContainersNotInitialized containers with incomplete status: [b]' },
  ],
  [
    'initialised once is initialised',
    [
      [shown('main', { started: true })],
      { spec: { initContainers: [{ name: 'a', restartPolicy: 'Always' }] }, init: [shown('a', { started: false })] },
    ],
    { Initialized: 'True', ContainersReady: 'False ContainersNotReady containers with unready status: [a main]' },
  ],
  [
    'a gate without condition',
    [[shown('main', { ready: true })], { spec: { readinessGates: [{ conditionType: 'x/y' }] } }],
    {
      ContainersReady: 'True',
      Ready: 'False ReadinessGatesNotReady corresponding condition of pod readiness gate "x/y" does not exist.',
    },
  ],
  [
    'a gate that is shut',
    [
      [shown('main', { ready: true })],
      {
        spec: { readinessGates: [{ conditionType: 'x/y' }] },
        status: { conditions: [{ type: 'x/y', status: 'False' }] },
      },
    ],
    {
      'x/y': 'False',
      Ready: 'False ReadinessGatesNotReady the status of pod readiness gate "x/y" is not "True", but False',
    },
  ],
  [
    'a gate that is open',
    [
      [shown('main', { ready: true })],
      {
        spec: { readinessGates: [{ conditionType: 'x/y' }] },
        status: { conditions: [{ type: 'x/y', status: 'True' }] },
      },
    ],
    { Ready: 'True' },
  ],
];

for (const [name, args, wanted] of rows) {
  test(`conditions: ${name}`, () => assert.deepEqual({ ...conditionsOf(...args), ...wanted }, conditionsOf(...args)));
}

test("a transition time moves only with the status, and the scheduler's words stay", () => {
  const before = [
    { type: 'Ready', status: 'True', lastTransitionTime: 'then' },
    { type: 'ContainersReady', status: 'False', lastTransitionTime: 'then' },
    { type: 'PodScheduled', status: 'True', lastTransitionTime: 'then', observedGeneration: 7 },
  ];
  const pod = testPod({ status: { conditions: before } });
  const list = podConditions({
    seen: seenOf(pod),
    phase: 'Running',
    init: [],
    regular: [shown('main', { ready: true })],
    now: NOW,
  });
  const times = Object.fromEntries(list.map((c) => [c.type, c.lastTransitionTime]));
  assert.deepEqual([times['Ready'], times['ContainersReady']], ['then', NOW]);
  assert.deepEqual(
    list.find((c) => c.type === 'PodScheduled'),
    { ...before[2], observedGeneration: 1 },
  );
});
