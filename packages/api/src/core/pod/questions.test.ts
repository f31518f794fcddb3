import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../generated/core-v1.ts';
import {
  availableInMs,
  findContainerStatus,
  isMirrorPod,
  isPodActive,
  isPodAvailable,
  isPodReady,
  isPodTerminal,
  podRestartCount,
} from './questions.ts';

const pod = (status: object, metadata: object = {}): Pod => ({ metadata, spec: { containers: [] }, status }) as Pod;
const READY = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:10Z' };

describe('questions about a pod', () => {
  const active: [name: string, pod: Pod, active: boolean, terminal: boolean][] = [
    ['pending', pod({ phase: 'Pending' }), true, false],
    ['running', pod({ phase: 'Running' }), true, false],
    ['succeeded', pod({ phase: 'Succeeded' }), false, true],
    ['failed', pod({ phase: 'Failed' }), false, true],
    ['being deleted', pod({ phase: 'Running' }, { deletionTimestamp: '2026-01-01T00:00:00Z' }), false, false],
    ['without a phase', pod({}), true, false],
  ];
  for (const [name, subject, isActive, terminal] of active) {
    it(`active: ${name}`, () => assert.deepEqual([isPodActive(subject), isPodTerminal(subject)], [isActive, terminal]));
  }

  it('is ready by its condition', () => {
    assert.equal(isPodReady(pod({ conditions: [READY] })), true);
    assert.equal(isPodReady(pod({ conditions: [{ ...READY, status: 'False' }] })), false);
    assert.equal(isPodReady(pod({})), false);
  });

  it('is available after its minimum', () => {
    const now = Date.parse('2026-01-01T00:00:15Z');
    const ready = pod({ conditions: [READY] });
    assert.equal(isPodAvailable(ready, 0, now), true);
    assert.equal(isPodAvailable(ready, 5, now), true);
    assert.equal(isPodAvailable(ready, 6, now), false);
    assert.equal(availableInMs(ready, 6, now), 1000);
    assert.equal(availableInMs(pod({}), 0, now), undefined);
  });

  it('finds container statuses in all three lists', () => {
    const subject = pod({
      containerStatuses: [{ name: 'a', restartCount: 2 }],
      initContainerStatuses: [{ name: 'b', restartCount: 5 }],
      ephemeralContainerStatuses: [{ name: 'c', restartCount: 0 }],
    });
    for (const name of ['a', 'b', 'c']) assert.equal(findContainerStatus(subject, name)?.name, name);
    assert.equal(findContainerStatus(subject, 'd'), undefined);
    assert.equal(podRestartCount(subject), 2);
  });

  it('knows mirror pods', () => {
    assert.equal(isMirrorPod(pod({}, { annotations: { 'kubernetes.io/config.mirror': '' } })), true);
    assert.equal(isMirrorPod(pod({})), false);
  });
});
