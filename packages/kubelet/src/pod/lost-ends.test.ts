import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerStatus } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { shown } from '../testing/seen.ts';
import { withLostEnds } from './lost-ends.ts';

const running = (name: string): ContainerStatus => shown(name, { state: { running: {} }, started: true });
const waiting = (name: string): ContainerStatus => shown(name, { state: { waiting: {} } });
const ended = (name: string, exitCode: number): ContainerStatus => shown(name, { state: { terminated: { exitCode } } });
const crashing = (name: string): ContainerStatus =>
  shown(name, { state: { waiting: {} }, lastState: { terminated: { exitCode: 1 } } });

/** What is left waiting, and what is said to be lost. */
function ends(statuses: readonly ContainerStatus[]): string {
  const word = ({ state }: ContainerStatus): string =>
    state?.terminated === undefined ? 'waits' : (state.terminated.reason ?? `${state.terminated.exitCode}`);
  return statuses.map((status) => word(status).replace('ContainerStatusUnknown', 'lost')).join(' ');
}

const SIDECAR = { name: 'i2', restartPolicy: 'Always' as const };
const rows: readonly [string, readonly object[], readonly ContainerStatus[], readonly ContainerStatus[], string][] = [
  ['without init containers', [], [], [waiting('a'), ended('b', 0)], ' | lost 0'],
  ['the first init container never began', [{ name: 'i' }], [waiting('i')], [waiting('a')], 'lost | waits'],
  ['the last one was done', [{ name: 'i' }], [ended('i', 0)], [waiting('a')], '0 | lost'],
  ['the last one failed', [{ name: 'i' }], [ended('i', 1)], [waiting('a')], '1 | waits'],
  ['a regular one ran once', [{ name: 'i' }], [crashing('i')], [crashing('a'), waiting('b')], 'lost | lost lost'],
  [
    'the second of three was begun',
    [{ name: 'i' }, { name: 'i2' }, { name: 'i3' }],
    [waiting('i'), crashing('i2'), waiting('i3')],
    [waiting('a')],
    'lost lost waits | waits',
  ],
  ['a sidecar ran', [{ name: 'i' }, SIDECAR], [ended('i', 0), running('i2')], [waiting('a')], '0 lost | lost'],
];

for (const [name, initContainers, init, regular, wanted] of rows) {
  test(`a pod that ended: ${name}`, () => {
    const pod = testPod({ spec: { initContainers: initContainers as { name: string }[] } });
    const shownEnds = withLostEnds(pod, { init, regular });
    assert.equal(`${ends(shownEnds.init)} | ${ends(shownEnds.regular)}`, wanted);
  });
}
