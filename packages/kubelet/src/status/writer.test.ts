import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import { countTimers } from '@binnacle/base/testing';
import type { CountedClock } from '@binnacle/base/testing';
import { PODS } from '@binnacle/api';
import { status as statusErrors } from '@binnacle/machinery';
import type { StatusError } from '@binnacle/machinery';
import type { Pod, PodStatus } from '@binnacle/api/core/v1';
import { createTestApi } from '../testing/api.ts';
import type { TestApi } from '../testing/api.ts';
import { pass, testPod } from '../testing/node.ts';
import { StatusWriter } from './writer.ts';

interface Bench {
  readonly clock: VirtualClock;
  readonly timers: CountedClock;
  readonly api: TestApi;
  readonly writer: StatusWriter;
  readonly pod: Pod;
  phase(): string | undefined;
}

function bench(): Bench {
  const clock = new VirtualClock();
  const api = createTestApi(clock);
  const pod = api.fake.seed(PODS, testPod({ status: {} }));
  const timers = countTimers(clock);
  const writer = new StatusWriter({
    nodeName: 'n',
    client: api.client,
    clock: timers,
    log: silentLogger,
    pendingDelayMs: 10,
  });
  return { clock, timers, api, writer, pod, phase: () => api.fake.objects(PODS)[0]?.status?.phase };
}

const running: PodStatus = { phase: 'Running', podIP: '10.1.0.2', podIPs: [{ ip: '10.1.0.2' }] };
const pending: PodStatus = {
  phase: 'Pending',
  containerStatuses: [
    {
      name: 'c',
      ready: false,
      restartCount: 0,
      image: '',
      imageID: '',
      state: { waiting: { reason: 'ContainerCreating' } },
    },
  ],
};

test('a quiet Pending waits for something better', async () => {
  const b = bench();
  b.writer.publish(b.pod, pending);
  b.writer.publish(b.pod, running);
  await pass(b.clock, 50);
  assert.deepEqual(b.api.podWrites(), ['patch pods/status']);
  assert.equal(b.phase(), 'Running');
});

test('a Pending that lasts is told, and one in trouble at once', async () => {
  const b = bench();
  b.writer.publish(b.pod, pending);
  await pass(b.clock, 20);
  assert.equal(b.phase(), 'Pending');
  const trouble = {
    ...pending,
    containerStatuses: [{ ...pending.containerStatuses![0]!, state: { waiting: { reason: 'ErrImagePull' } } }],
  };
  b.writer.publish(b.pod, trouble);
  assert.equal(b.api.podWrites().length, 2);
});

test('the same status is not written twice', async () => {
  const b = bench();
  for (let i = 0; i < 3; i++) {
    b.writer.publish(b.pod, running);
    await pass(b.clock, 10);
  }
  assert.equal(b.api.podWrites().length, 1);
});

test('its own write is known when it comes back, also before it is answered; what others write is not taken for it', async () => {
  const b = bench();
  let woken = 0;
  const acknowledge = (pod: Pod): boolean => b.writer.acknowledge(pod, () => void woken++);
  const seen = (): Pod => b.api.fake.objects(PODS)[0] ?? assert.fail('it is there');
  assert.equal(acknowledge(b.pod), false, 'nothing was told yet');
  b.writer.publish(b.pod, running);
  await b.writer.flush('uid-web');
  assert.equal(acknowledge(b.pod), false, 'an older one');
  assert.equal(acknowledge(seen()), true);
  assert.equal(acknowledge(seen()), false, 'it is forgotten by now');
  b.writer.publish(seen(), { ...running, message: 'a' });
  const early = { ...seen(), metadata: { ...seen().metadata, resourceVersion: '0' } };
  assert.equal(acknowledge(early), true, 'nobody knows yet');
  assert.equal(woken, 0);
  await b.writer.flush('uid-web');
  await pass(b.clock, 1);
  assert.equal(woken, 1, 'it was not ours');
  const others = await b.api.client
    .resource(PODS, 'default')
    .patch('web', 'merge', { status: { reason: 'theirs' } }, { subresource: 'status' });
  assert.equal(acknowledge(others), false, "another's write");
});

test('what came while one was under way follows, only the newest', async () => {
  const b = bench();
  b.writer.publish(b.pod, running);
  b.writer.publish(b.pod, { ...running, message: 'a' });
  b.writer.publish(b.pod, { ...running, message: 'b' });
  await b.writer.flush('uid-web');
  assert.equal(b.api.podWrites().length, 2);
  assert.equal(b.api.fake.objects(PODS)[0]?.status?.message, 'b');
});

test('a failure is tried again; a pod that is gone is not', async () => {
  const b = bench();
  let refuse = 2;
  b.api.fake.faults.call = () =>
    refuse-- > 0 ? { kind: 'refuse', error: statusErrors.serviceUnavailable('no') } : undefined;
  b.writer.publish(b.pod, running);
  await pass(b.clock, 10_000);
  assert.equal(b.phase(), 'Running');
  await b.api.client.resource(PODS, 'default').delete('web', { gracePeriodSeconds: 0 });
  b.writer.publish(b.pod, { ...running, message: 'x' });
  await pass(b.clock, 60_000);
  assert.equal(b.api.podWrites().filter((w) => w.startsWith('patch')).length <= 4, true);
  b.writer.close();
  assert.equal(b.timers.pending, 0);
});

test('once it is closed nothing is tried again: neither what was under way nor what comes late', async () => {
  const b = bench();
  b.api.fake.faults.call = () => ({ kind: 'refuse', error: statusErrors.serviceUnavailable('gone') });
  b.writer.publish(b.pod, running);
  b.writer.close();
  b.writer.publish(b.pod, pending);
  b.writer.publish(b.pod, { ...running, message: 'last words' });
  await pass(b.clock, 60_000);
  assert.equal(b.timers.pending, 0);
});

test('what was made from objects older than what was told does not make conditions begin again, to and fro', async () => {
  const b = bench();
  const ready = (at: string): PodStatus => ({
    ...running,
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: `2026-01-01T00:00:${at}Z` }],
  });
  b.writer.publish(b.pod, ready('03'));
  b.writer.publish(b.pod, ready('04'));
  await b.writer.flush('uid-web');
  const seen = b.api.fake.objects(PODS)[0] ?? assert.fail('it is there');
  b.writer.publish(b.pod, ready('05'));
  b.writer.publish(seen, ready('03'));
  await b.writer.flush('uid-web');
  assert.equal(b.api.podWrites().length, 1);
  assert.equal(b.api.fake.objects(PODS)[0]?.status?.conditions?.[0]?.lastTransitionTime, '2026-01-01T00:00:03Z');
});

const REFUSALS: readonly [name: string, uid: string, error: () => StatusError, phase: string | undefined][] = [
  ['a conflict about the pod itself is tried again', 'uid-web', () => conflict(), 'Running'],
  ['one with another pod of its name is not', 'another', () => conflict(), undefined],
  [
    'who may not write yet tries again',
    'uid-web',
    () => statusErrors.forbidden({ group: '', resource: 'pods' }, 'web', 'not yet'),
    'Running',
  ],
  [
    'what is no status is not written again',
    'uid-web',
    () => statusErrors.invalid({ group: '', kind: 'Pod' }, 'web', []),
    undefined,
  ],
];

function conflict(): StatusError {
  return statusErrors.conflict({ group: '', resource: 'pods' }, 'web', 'somebody was faster');
}

for (const [name, uid, error, phase] of REFUSALS) {
  test(`a refusal: ${name}`, async () => {
    const b = bench();
    const target = { ...b.pod, metadata: { ...b.pod.metadata, uid: 'uid-web' } };
    if (uid !== 'uid-web') {
      await b.api.client.resource(PODS, 'default').delete('web', { gracePeriodSeconds: 0 });
      b.api.fake.seed(PODS, testPod({ metadata: { uid }, status: {} }));
    }
    let refuse = 1;
    b.api.fake.faults.call = ({ verb }) =>
      verb === 'patch' && refuse-- > 0 ? { kind: 'refuse', error: error() } : undefined;
    b.writer.publish(target, running);
    await pass(b.clock, 60_000);
    assert.equal(b.phase(), phase);
    assert.equal(b.timers.pending, 0);
  });
}
