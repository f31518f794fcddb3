import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerStatus, Pod } from '@binnacle/api/core/v1';
import { mountAnnotations } from '../container/labels.ts';
import { testPod } from '../testing/node.ts';
import { container, seenOf, shown } from '../testing/seen.ts';
import { containerStatuses } from './container-status.ts';
import type { PodSeen } from './seen.ts';

function statusOf(
  seen: PodSeen,
  of: { terminal?: boolean; role?: 'init' | 'regular'; messages?: [string, string][] } = {},
): ContainerStatus {
  const list = of.role === 'init' ? (seen.pod.spec.initContainers ?? []) : seen.pod.spec.containers;
  const input = {
    seen,
    runtimeName: 'containerd',
    terminationMessages: new Map(of.messages),
    terminal: of.terminal ?? false,
  };
  return containerStatuses(input, list, of.role ?? 'regular')[0]!;
}

const pod = testPod();
const withInit = testPod({ spec: { initContainers: [{ name: 'i' }] } });
const startedAt = '1970-01-01T00:00:03Z';

test('running', () => {
  assert.deepEqual(statusOf(seenOf(pod, { containers: [container(pod, { attempt: 2 })] })), {
    name: 'main',
    state: { running: { startedAt } },
    lastState: {},
    ready: true,
    restartCount: 2,
    image: 'busybox:1',
    imageID: 'sha256:1',
    containerID: 'containerd://main-2',
    started: true,
    resources: {},
  });
});

test('not made yet', () => {
  assert.deepEqual(statusOf(seenOf(pod)).state, { waiting: { reason: 'ContainerCreating' } });
  assert.deepEqual(statusOf(seenOf(withInit)).state, { waiting: { reason: 'PodInitializing' } });
});

test('what keeps it from being made is shown', () => {
  const problems = { main: { reason: 'ErrImagePull', message: 'no such image' } };
  assert.deepEqual(statusOf(seenOf(pod, { problems })).state, {
    waiting: { reason: 'ErrImagePull', message: 'no such image' },
  });
});

test('ended: reason, message and times; a successor in back-off moves it to lastState', () => {
  const exited = container(pod, { state: 'exited', exitCode: 3 });
  const terminated = {
    exitCode: 3,
    reason: 'Error',
    message: 'last words',
    startedAt,
    finishedAt: '1970-01-01T00:00:04Z',
    containerID: 'containerd://main-0',
  };
  const plain = statusOf(seenOf(pod, { containers: [exited] }), { messages: [['main-0', 'last words']] });
  assert.deepEqual([plain.state, plain.ready, plain.started], [{ terminated }, false, false]);
  const problems = { main: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } };
  const crashing = statusOf(seenOf(pod, { containers: [exited], problems }), { messages: [['main-0', 'last words']] });
  assert.deepEqual(
    [crashing.state, crashing.lastState],
    [{ waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } }, { terminated }],
  );
  const over = statusOf(seenOf(pod, { containers: [exited], problems }), {
    messages: [['main-0', 'last words']],
    terminal: true,
  });
  assert.deepEqual(over.state, { terminated });
});

test('a predecessor is the last state', () => {
  const seen = seenOf(pod, {
    containers: [
      container(pod, { state: 'exited', exitCode: 137, reason: 'OOMKilled' }),
      container(pod, { attempt: 1 }),
    ],
  });
  assert.equal(statusOf(seen).lastState?.terminated?.reason, 'OOMKilled');
  assert.equal(statusOf(seen).restartCount, 1);
});

const verdicts: readonly [string, object, [boolean, boolean]][] = [
  ['no probes', {}, [true, true]],
  ['startup has not passed', { startup: 'unknown', readiness: 'failure' }, [false, false]],
  ['started, not ready', { startup: 'success', readiness: 'failure' }, [true, false]],
  ['ready', { readiness: 'success' }, [true, true]],
];

for (const [name, verdict, wanted] of verdicts) {
  test(`started and ready: ${name}`, () => {
    const status = statusOf(seenOf(pod, { containers: [container(pod)], verdicts: { 'main-0': verdict } }));
    assert.deepEqual([status.started, status.ready], wanted);
  });
}

test('an init container is ready when it ended well', () => {
  const of = (exitCode: number): boolean =>
    statusOf(seenOf(withInit, { containers: [container(withInit, { name: 'i', state: 'exited', exitCode })] }), {
      role: 'init',
    }).ready;
  assert.deepEqual([of(0), of(1)], [true, false]);
});

test('a container that is gone from the runtime keeps how it ended, and all else that was told of it', () => {
  const ended = shown('main', {
    state: { terminated: { exitCode: 0, reason: 'Completed' } },
    lastState: { terminated: { exitCode: 1, reason: 'Error' } },
    restartCount: 4,
    image: 'docker.io/library/busybox:1',
    imageID: 'sha256:1',
    containerID: 'containerd://x',
    started: false,
    allocatedResources: { cpu: '1' },
    resources: { requests: { cpu: '1' } },
    user: { linux: { uid: 1, gid: 1, supplementalGroups: [1] } },
    volumeMounts: [{ name: 'v', mountPath: '/v' }],
  });
  const told: Pod = testPod({ status: { containerStatuses: [ended] } });
  assert.deepEqual(statusOf(seenOf(told, { sandboxes: [] })), ended);
  assert.deepEqual(statusOf(seenOf(told, { sandboxes: [] }), { terminal: true }), ended);
});

test('a container that ran and cannot be found when the pod has ended', () => {
  const told = testPod({ status: { containerStatuses: [shown('main', { state: { running: {} } })] } });
  const state = statusOf(seenOf(told, { sandboxes: [] }), { terminal: true }).state;
  assert.deepEqual([state?.terminated?.exitCode, state?.terminated?.reason], [137, 'ContainerStatusUnknown']);
});

test('a container that ran and that the runtime has lost counts as ended and restarted, once', () => {
  const running = shown('main', { state: { running: {} }, restartCount: 2, containerID: 'containerd://x' });
  const told = testPod({ status: { containerStatuses: [running] } });
  const status = statusOf(seenOf(told, { sandboxes: [] }));
  assert.deepEqual(status.state, { waiting: { reason: 'ContainerCreating' } });
  assert.deepEqual(
    [status.lastState?.terminated?.exitCode, status.lastState?.terminated?.reason, status.restartCount],
    [137, 'ContainerStatusUnknown', 3],
  );
  const again = statusOf(seenOf(testPod({ status: { containerStatuses: [status] } }), { sandboxes: [] }));
  assert.deepEqual([again.restartCount, again.lastState], [3, status.lastState]);
  const last = statusOf(seenOf(testPod({ status: { containerStatuses: [status] } }), { sandboxes: [] }), {
    terminal: true,
  });
  assert.deepEqual([last.restartCount, last.state?.terminated?.reason], [3, 'ContainerStatusUnknown']);
  const deletionTimestamp = '1970-01-01T00:00:01Z';
  const going = testPod({ metadata: { deletionTimestamp }, status: { containerStatuses: [running] } });
  assert.equal(statusOf(seenOf(going, { sandboxes: [] })).restartCount, 2);
});

test('what it was given', () => {
  const resources = { requests: { cpu: '1' }, limits: { cpu: '2' } };
  const given = testPod({
    container: {
      resources,
      volumeMounts: [
        { name: 'a', mountPath: '/a' },
        { name: 'b', mountPath: '/b', readOnly: true },
        { name: 'c', mountPath: 'c', readOnly: true },
      ],
    },
  });
  const one = container(given);
  const annotations = {
    ...one.annotations,
    ...mountAnnotations([{ containerPath: '/c', isRecursivelyReadOnly: true }]),
  };
  const user = { uid: 1, gid: 2, groups: [3] };
  const status = statusOf(seenOf(given, { containers: [{ ...one, annotations, user }] }));
  assert.deepEqual(status.user, { linux: { uid: 1, gid: 2, supplementalGroups: [3] } });
  assert.deepEqual([status.resources, status.allocatedResources], [resources, { cpu: '1' }]);
  assert.deepEqual(status.volumeMounts, [
    { name: 'a', mountPath: '/a' },
    { name: 'b', mountPath: '/b', readOnly: true, recursiveReadOnly: 'Disabled' },
    { name: 'c', mountPath: 'c', readOnly: true, recursiveReadOnly: 'Enabled' },
  ]);
});
