import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerStatus, PodStatus } from '@binnacle/api/core/v1';
import { LogError } from '../errors.ts';
import { testPod } from '../testing/node.ts';
import { shown } from '../testing/seen.ts';
import { chooseLog } from './choose.ts';

const pod = testPod();
const status = (of: Partial<ContainerStatus>): PodStatus => ({ containerStatuses: [shown('main', of)] });
const ended = { terminated: { exitCode: 1, containerID: 'containerd://old' } };

const rows: readonly [string, PodStatus, boolean, string][] = [
  ['running', status({ state: { running: {} }, containerID: 'containerd://new' }), false, 'new'],
  ['ended', status({ state: ended, containerID: 'containerd://old' }), false, 'old'],
  [
    'crashing: what it said last',
    status({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: ended }),
    false,
    'old',
  ],
  [
    'the one before',
    status({ state: { running: {} }, containerID: 'containerd://new', lastState: ended }),
    true,
    'old',
  ],
];

for (const [name, of, previous, id] of rows) {
  test(`log of: ${name}`, () =>
    assert.deepEqual(chooseLog({ pod, status: of }, undefined, previous), { name: 'main', id }));
}

const two = testPod({ spec: { containers: [{ name: 'a' }, { name: 'b' }], initContainers: [{ name: 'i' }] } });

const refused: readonly [string, Parameters<typeof chooseLog>, string][] = [
  ['nothing known', [{ pod, status: {} }, 'main', false], 'container "main" in pod "web" is not available'],
  [
    'waiting',
    [{ pod, status: status({ state: { waiting: { reason: 'ContainerCreating' } } }) }, 'main', false],
    'container "main" in pod "web" is waiting to start: ContainerCreating',
  ],
  [
    'no image',
    [{ pod, status: status({ state: { waiting: { reason: 'ImagePullBackOff' } } }) }, 'main', false],
    'container "main" in pod "web" is waiting to start: trying and failing to pull image',
  ],
  [
    'none before',
    [{ pod, status: status({ state: { running: {} } }) }, 'main', true],
    'previous terminated container "main" in pod "web" not found',
  ],
  ['no such container', [{ pod, status: {} }, 'x', false], 'container x is not valid for pod web'],
  [
    'which?',
    [{ pod: two, status: {} }, undefined, false],
    'a container name must be specified for pod web, choose one of: [a b] or one of the init containers: [i]',
  ],
];

for (const [name, args, message] of refused) {
  test(`log refused: ${name}`, () =>
    assert.throws(
      () => chooseLog(...args),
      (error) => error instanceof LogError && error.httpCode === 400 && error.message === message,
    ));
}
