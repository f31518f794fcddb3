import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { container, sandbox, seenOf } from '../testing/seen.ts';
import { podStatus } from './status.ts';
import type { PodStatusInput } from './status.ts';

const pod = testPod();

function statusOf(of: Partial<PodStatusInput> = {}): ReturnType<typeof podStatus> {
  const seen = seenOf(pod, { containers: [container(pod)] });
  return podStatus({
    seen,
    runtimeName: 'containerd',
    terminationMessages: new Map(),
    terminal: false,
    nowMs: 10_000,
    hostIPs: ['192.0.2.1'],
    seenAtMs: 5_000,
    ...of,
  });
}

test('addresses, start time and generation', () => {
  const status = statusOf();
  assert.deepEqual(
    [
      status.phase,
      status.podIP,
      status.podIPs,
      status.hostIP,
      status.hostIPs,
      status.startTime,
      status.observedGeneration,
    ],
    ['Running', '10.1.0.2', [{ ip: '10.1.0.2' }], '192.0.2.1', [{ ip: '192.0.2.1' }], '1970-01-01T00:00:05Z', 1],
  );
});

test("on the node's network the pod has the node's address", () => {
  const host = testPod({ spec: { hostNetwork: true } });
  const seen = seenOf(host, { sandboxes: [sandbox({ ips: [] })], containers: [container(host)] });
  assert.equal(statusOf({ seen }).podIP, '192.0.2.1');
});

test('what the API was told once stays: start time, address, a terminal phase', () => {
  const told = testPod({
    status: { phase: 'Failed', reason: 'Evicted', startTime: 'then', podIPs: [{ ip: '10.1.0.9' }] },
  });
  const status = statusOf({ seen: seenOf(told, { sandboxes: [], containers: [] }), terminal: true });
  assert.deepEqual(
    [status.phase, status.reason, status.startTime, status.podIP],
    ['Failed', 'Evicted', 'then', '10.1.0.9'],
  );
});

test("a pod on the node's network keeps its address when its sandbox is gone", () => {
  const spec = { hostNetwork: true };
  const told = testPod({ spec, status: { phase: 'Succeeded', podIPs: [{ ip: '192.0.2.1' }] } });
  const of = (seen: Pod): string | undefined =>
    statusOf({ seen: seenOf(seen, { sandboxes: [] }), terminal: true }).podIP;
  assert.deepEqual([of(told), of(testPod({ spec }))], ['192.0.2.1', undefined]);
});

test('a pod that was sent away says why, and nothing of containers', () => {
  const verdict = { phase: 'Failed', reason: 'OutOfcpu', message: 'Pod was rejected: x', isRejection: true } as const;
  const bound = [{ type: 'PodScheduled', status: 'True' }];
  const sent = testPod({ status: { conditions: bound } });
  const rejected = statusOf({ seen: seenOf(sent, { sandboxes: [], containers: [] }), verdict, terminal: true });
  const wanted = {
    observedGeneration: 1,
    phase: 'Failed',
    conditions: bound,
    reason: 'OutOfcpu',
    message: 'Pod was rejected: x',
    startTime: '1970-01-01T00:00:05Z',
  };
  assert.deepEqual(rejected, wanted);
  const again = testPod({ status: rejected });
  assert.deepEqual(statusOf({ seen: seenOf(again, { sandboxes: [], containers: [] }), terminal: true }), wanted);
});

test('last words share twelve kilobytes', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const many = testPod({ spec: { containers: names.map((name) => ({ name })) } });
  const containers = names.map((name) => container(many, { name, id: name, state: 'exited' }));
  const terminationMessages = new Map(names.map((name) => [name, 'x'.repeat(4096)]));
  const { containerStatuses = [] } = statusOf({ seen: seenOf(many, { containers }), terminationMessages });
  assert.deepEqual(
    containerStatuses.map(({ state }) => state?.terminated?.message?.length),
    names.map(() => 2048),
  );
});

test('a reason and a message stay with their phase', () => {
  const reasonIn = (phase: 'Pending' | 'Running'): (string | undefined)[] => {
    const told = testPod({ status: { phase, reason: 'E2E', message: 'by hand' } });
    const { reason, message } = statusOf({ seen: seenOf(told, { containers: [container(told)] }) });
    return [reason, message];
  };
  assert.deepEqual(reasonIn('Running'), ['E2E', 'by hand']);
  assert.deepEqual(reasonIn('Pending'), [undefined, undefined]);
});

test('a verdict of the kubelet is the phase', () => {
  const verdict = { phase: 'Failed', reason: 'DeadlineExceeded', message: 'too long' } as const;
  const status = statusOf({ verdict });
  assert.deepEqual([status.phase, status.reason, status.message], ['Failed', 'DeadlineExceeded', 'too long']);
});

test('an ephemeral container is shown once it exists', () => {
  const debugged = testPod({ spec: { ephemeralContainers: [{ name: 'dbg' }] } });
  assert.equal(statusOf({ seen: seenOf(debugged) }).ephemeralContainerStatuses, undefined);
  const seen = seenOf(debugged, { containers: [container(debugged, { name: 'dbg' })] });
  assert.equal(statusOf({ seen }).ephemeralContainerStatuses?.[0]?.state?.running !== undefined, true);
});
