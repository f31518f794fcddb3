import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerStatus } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { shown } from '../testing/seen.ts';
import { podPhase } from './phase.ts';

const running = (name: string): ContainerStatus => shown(name, { state: { running: {} }, started: true });
const waiting = (name: string): ContainerStatus => shown(name, { state: { waiting: {} } });
const ended = (name: string, exitCode: number): ContainerStatus => shown(name, { state: { terminated: { exitCode } } });
const crashing = (name: string, exitCode: number): ContainerStatus =>
  shown(name, { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { exitCode } } });

const rows: readonly [string, string, readonly ContainerStatus[], boolean, string][] = [
  ['nothing known', 'Always', [], false, 'Pending'],
  ['one waits', 'Always', [running('a'), waiting('b')], false, 'Pending'],
  ['all run', 'Always', [running('a'), running('b')], false, 'Running'],
  ['one crashes', 'Always', [running('a'), crashing('b', 1)], false, 'Running'],
  ['all crash', 'Always', [crashing('a', 1), crashing('b', 1)], false, 'Running'],
  ['all ended well, restarted always', 'Always', [ended('a', 0), ended('b', 0)], false, 'Running'],
  ['all ended well, on failure', 'OnFailure', [ended('a', 0), ended('b', 0)], false, 'Succeeded'],
  ['one failed, on failure', 'OnFailure', [ended('a', 0), ended('b', 1)], false, 'Running'],
  ['all ended well, never', 'Never', [ended('a', 0), ended('b', 0)], false, 'Succeeded'],
  ['one failed, never', 'Never', [ended('a', 0), ended('b', 1)], false, 'Failed'],
  ['one runs still, never', 'Never', [running('a'), ended('b', 1)], false, 'Running'],
  ['for good: all well', 'Always', [ended('a', 0), ended('b', 0)], true, 'Succeeded'],
  ['for good: one killed', 'Always', [ended('a', 0), ended('b', 137)], true, 'Failed'],
  ['for good: never started', 'Always', [waiting('a'), waiting('b')], true, 'Failed'],
];

for (const [name, restartPolicy, regular, terminal, wanted] of rows) {
  test(`phase: ${name}`, () => {
    const pod = testPod({
      spec: { restartPolicy: restartPolicy as 'Always', containers: [{ name: 'a' }, { name: 'b' }] },
    });
    assert.equal(podPhase({ pod, init: [], regular, terminal }), wanted);
  });
}

const initRows: readonly [string, string, ContainerStatus, ContainerStatus, string][] = [
  ['init runs', 'Always', running('i'), waiting('main'), 'Pending'],
  ['init failed, again', 'Always', crashing('i', 1), waiting('main'), 'Pending'],
  ['init failed, never', 'Never', ended('i', 1), waiting('main'), 'Failed'],
  ['init done, main waits', 'Always', ended('i', 0), waiting('main'), 'Pending'],
  ['init done, main runs', 'Always', ended('i', 0), running('main'), 'Running'],
];

for (const [name, restartPolicy, init, main, wanted] of initRows) {
  test(`phase: ${name}`, () => {
    const pod = testPod({ spec: { restartPolicy: restartPolicy as 'Always', initContainers: [{ name: 'i' }] } });
    assert.equal(podPhase({ pod, init: [init], regular: [main], terminal: false }), wanted);
  });
}

const ruleRows: readonly [string, object, number, string][] = [
  ['a rule starts it again', { restartPolicy: 'Never', restartPolicyRules: [rule('In', 42)] }, 42, 'Running'],
  ['no rule does', { restartPolicy: 'Never', restartPolicyRules: [rule('In', 42)] }, 43, 'Failed'],
  ['its own policy does', { restartPolicy: 'OnFailure' }, 1, 'Running'],
  ['its own policy does not', { restartPolicy: 'OnFailure' }, 0, 'Succeeded'],
];

function rule(operator: string, ...values: number[]): object {
  return { action: 'Restart', exitCodes: { operator, values } };
}

for (const [name, own, exitCode, wanted] of ruleRows) {
  test(`phase of a pod that is never restarted: ${name}`, () => {
    const pod = testPod({ spec: { restartPolicy: 'Never', containers: [{ name: 'a', ...own }] } });
    assert.equal(podPhase({ pod, init: [], regular: [ended('a', exitCode)], terminal: false }), wanted);
    const init = testPod({ spec: { restartPolicy: 'Never', initContainers: [{ name: 'i', ...own }] } });
    const of = { pod: init, regular: [waiting('main')], terminal: false };
    assert.equal(podPhase({ ...of, init: [ended('i', exitCode)] }), exitCode === 43 ? 'Failed' : 'Pending');
  });
}

test('phase: while a sidecar runs on, the pod has not ended', () => {
  const spec = { restartPolicy: 'Never' as const, initContainers: [{ name: 'sc', restartPolicy: 'Always' as const }] };
  const pod = testPod({ spec });
  const of = { pod, regular: [ended('main', 0)], terminal: false };
  assert.equal(podPhase({ ...of, init: [running('sc')] }), 'Running');
  assert.equal(podPhase({ ...of, init: [ended('sc', 0)] }), 'Succeeded');
});

test('phase: a restarting sidecar does not take an initialised pod back', () => {
  const pod = testPod({ spec: { initContainers: [{ name: 'sc', restartPolicy: 'Always' }] } });
  const init = [shown('sc', { state: { waiting: {} }, started: false })];
  assert.equal(podPhase({ pod, init, regular: [running('main')], terminal: false }), 'Running');
  assert.equal(podPhase({ pod, init, regular: [waiting('main')], terminal: false }), 'Pending');
});
