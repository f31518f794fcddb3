import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerStatus, Pod, PodStatus } from '@binnacle/api/core/v1';
import type { ContainerStatus as RuntimeContainer } from '@binnacle/runtime';
import { type TestNode, pass, startTestNode, testPod } from '../testing/node.ts';
import { container, seenOf, shown } from '../testing/seen.ts';
import { restartTriggers } from './restart-all.ts';
import { podStatus } from './status.ts';
import type { PodSeen } from './seen.ts';

const LAST = {
  terminated: {
    exitCode: 137,
    reason: 'RestartingAllContainers',
    message: 'The container is removed because RestartAllContainers in place',
  },
};
const rules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }];

/** `side` ends after a second and asks for all to begin anew; `once` has ended before, well. */
function anewPod(status?: PodStatus): Pod {
  return testPod({
    metadata: {
      annotations: {
        'setup.simulated.binnacle.dev/exit-after': '10ms',
        'once.simulated.binnacle.dev/exit-after': '100ms',
        'side.simulated.binnacle.dev/exit-after': '1s',
        'side.simulated.binnacle.dev/exit-code': '42',
      },
    },
    spec: {
      restartPolicy: 'Never',
      initContainers: [{ name: 'setup', image: 'busybox:1', imagePullPolicy: 'IfNotPresent' }],
      containers: [
        {
          name: 'main',
          image: 'busybox:1',
          imagePullPolicy: 'IfNotPresent',
          lifecycle: { preStop: { exec: { command: ['never'] } } },
        },
        { name: 'once', image: 'busybox:1', imagePullPolicy: 'IfNotPresent' },
        {
          name: 'side',
          image: 'busybox:1',
          imagePullPolicy: 'IfNotPresent',
          restartPolicy: 'Never',
          restartPolicyRules: rules,
        },
      ],
      ephemeralContainers: [{ name: 'debug', image: 'busybox:1', imagePullPolicy: 'IfNotPresent' }],
    },
    ...(status === undefined ? {} : { status }),
  });
}

const statusOf = (t: TestNode): PodStatus => t.kubelet.pods()[0]?.status ?? {};

/** `main 1 running`, by name, restarts, state. */
function told({ initContainerStatuses = [], containerStatuses = [] }: PodStatus): string[] {
  return [...initContainerStatuses, ...containerStatuses].map(
    ({ name, restartCount, state }) => `${name} ${restartCount} ${Object.keys(state ?? {}).join()}`,
  );
}

function condition({ conditions = [] }: PodStatus): string {
  const found = conditions.find(({ type }) => type === 'AllContainersRestarting');
  return [found?.status, found?.reason, found?.message].filter(Boolean).join(' ');
}

test('the end of one container makes all of the pod begin anew in its sandbox', async () => {
  const t = await startTestNode();
  t.source.put(anewPod());
  await pass(t.clock, 900);
  const before = await t.runtime.listContainers();
  assert.deepEqual(told(statusOf(t)), ['setup 0 terminated', 'main 0 running', 'once 0 terminated', 'side 0 running']);
  assert.equal(condition(statusOf(t)), 'False');
  const ip = statusOf(t).podIP;
  await pass(t.clock, 400);
  const status = statusOf(t);
  assert.deepEqual(told(status), ['setup 1 terminated', 'main 1 running', 'once 1 terminated', 'side 1 running']);
  for (const one of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])])
    assert.deepEqual(one.lastState, LAST, one.name);
  assert.deepEqual([status.phase, status.podIP, condition(status)], ['Running', ip, 'False']);
  assert.equal((await t.runtime.listSandboxes()).length, 1);
  const after = await t.runtime.listContainers();
  const kept = after.filter(({ id }) => before.some((one) => one.id === id));
  assert.deepEqual(
    kept.map(({ name }) => name),
    ['debug'],
  );
  assert.equal(after.length, 5);
  assert.ok(!t.events.reasons().includes('FailedPreStopHook'), 'no hook was run');
  await t.scope.close();
});

test('who begins anew again and again waits longer each time', async () => {
  const t = await startTestNode();
  t.source.put(anewPod());
  await pass(t.clock, 2_600);
  const { initContainerStatuses: [setup] = [], containerStatuses: [, , side] = [] } = statusOf(t);
  assert.equal(setup?.state?.waiting?.reason, 'CrashLoopBackOff');
  assert.equal(side?.state?.waiting?.reason, 'RestartingAllContainers');
  assert.deepEqual([side.restartCount, side.lastState], [2, LAST]);
  assert.notEqual(statusOf(t).phase, 'Failed');
  await pass(t.clock, 10_000);
  assert.deepEqual(told(statusOf(t)), ['setup 2 terminated', 'main 2 running', 'once 2 terminated', 'side 2 running']);
  await t.scope.close();
});

test('a kubelet that starts in the middle goes on: what asked for it is taken away last', async () => {
  const t = await startTestNode();
  const pod = anewPod();
  const remove = t.runtime.removeContainer.bind(t.runtime);
  const removed: string[] = [];
  t.runtime.removeContainer = async (id) => {
    const { name } = await t.runtime.containerStatus(id);
    if (removed.length === 2) throw new Error('the kubelet is killed here');
    removed.push(name);
    await remove(id);
  };
  t.source.put(pod);
  await pass(t.clock, 1_300);
  assert.equal(removed.length, 2);
  assert.ok(!removed.includes('side'));
  assert.match(condition(statusOf(t)), /^True RestartAllContainersStarted container exited with restart policy rule$/);
  const status = statusOf(t);
  await t.scope.close();
  t.runtime.removeContainer = remove;
  t.source.pods.set('uid-web', { ...pod, status });
  const again = await startTestNode({ clock: t.clock, node: t.node, source: t.source });
  await pass(t.clock, 500);
  assert.deepEqual(told(statusOf(again)), [
    'setup 1 terminated',
    'main 1 running',
    'once 1 terminated',
    'side 1 running',
  ]);
  assert.equal(statusOf(again).containerStatuses?.[0]?.lastState?.terminated?.reason, 'RestartingAllContainers');
  await again.scope.close();
});

const side = (of: Partial<RuntimeContainer>): RuntimeContainer => container(anewPod(), { name: 'side', ...of });

const triggerRows: readonly [string, readonly RuntimeContainer[], readonly string[]][] = [
  ['an end that the rule is about', [side({ state: 'exited', exitCode: 42 })], ['side-0']],
  ['another end', [side({ state: 'exited', exitCode: 41 })], []],
  ['it runs', [side({})], []],
  ['it has started again since', [side({ attempt: 1 }), side({ state: 'exited', exitCode: 42 })], []],
  ['it was made again and not started', [side({ attempt: 1, state: 'created' })], []],
  ['one without rules', [container(anewPod(), { state: 'exited', exitCode: 42 })], []],
  ['an ephemeral one', [container(anewPod(), { name: 'debug', state: 'exited', exitCode: 42 })], []],
];
for (const [name, containers, wanted] of triggerRows)
  test(`what asks for it: ${name}`, () => {
    const found = restartTriggers({ pod: anewPod(), containers });
    assert.deepEqual(
      found.map(({ id }) => id),
      wanted,
    );
  });

function statusFrom(seen: PodSeen, terminal = false): PodStatus {
  return podStatus({
    seen,
    runtimeName: 'simulated',
    terminationMessages: new Map(),
    terminal,
    nowMs: 5_000,
    hostIPs: ['192.0.2.1'],
    seenAtMs: 0,
  });
}

const main = (of: Partial<ContainerStatus>): ContainerStatus => shown('main', { restartCount: 3, ...of });

const rows: readonly [name: string, seen: PodSeen, phase: string, condition: string][] = [
  [
    'under way',
    seenOf(anewPod(), {
      containers: [
        container(anewPod(), { name: 'setup', state: 'exited' }),
        container(anewPod()),
        container(anewPod(), { name: 'once', state: 'exited' }),
        container(anewPod(), { name: 'side', state: 'exited', exitCode: 42 }),
      ],
    }),
    'Running',
    'True RestartAllContainersStarted container exited with restart policy rule',
  ],
  ['nothing is left', seenOf(anewPod()), 'Pending', 'False'],
  ['of a pod that has ended well', seenOf(anewPod({ phase: 'Succeeded' })), 'Succeeded', 'False PodCompleted'],
  ['of a pod that has failed', seenOf(anewPod({ phase: 'Failed' })), 'Failed', 'False PodFailed'],
  ['of a pod without such rules', seenOf(testPod()), 'Pending', ''],
];

for (const [name, seen, phase, wanted] of rows) {
  test(`AllContainersRestarting: ${name}`, () => {
    const status = statusFrom(seen);
    assert.deepEqual([status.phase, condition(status)], [phase, wanted]);
  });
}

test('what was taken away waits, ended by nothing that it did', () => {
  const pod = anewPod();
  const wanted = {
    state: { waiting: { reason: LAST.terminated.reason, message: LAST.terminated.message } },
    lastState: LAST,
  };
  const taken = container(pod, { attempt: 3 });
  const status = statusFrom({ ...seenOf(pod), takenAway: new Map([['main', taken]]) }).containerStatuses?.[0];
  assert.deepEqual([{ state: status?.state, lastState: status?.lastState }, status?.restartCount], [wanted, 4]);
});

test('what a kubelet before this one took away likewise, by what it told', () => {
  const conditions = [{ type: 'AllContainersRestarting', status: 'True' }];
  const of = (before: ContainerStatus): ContainerStatus | undefined =>
    statusFrom(seenOf(anewPod({ phase: 'Running', conditions, containerStatuses: [before] }))).containerStatuses?.[0];
  const running = of(main({ state: { running: {} } }));
  assert.deepEqual([running?.lastState, running?.restartCount], [LAST, 4]);
  const waiting = of(main({ state: { waiting: { reason: 'RestartingAllContainers' } }, lastState: LAST }));
  assert.deepEqual([waiting?.lastState, waiting?.restartCount], [LAST, 3]);
});
