import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, VirtualClock, silentTrace } from '@binnacle/base';
import type { Container, Pod } from '@binnacle/api/core/v1';
import { createPodEvents } from '../pod-events.ts';
import { EventLog, pass, testPod } from '../testing/node.ts';
import { container as running } from '../testing/seen.ts';
import { Prober } from './prober.ts';
import type { ProbeResult } from './tally.ts';

const good: ProbeResult = { kind: 'success', output: '' };
const bad: ProbeResult = { kind: 'failure', output: 'no' };

interface Bench {
  readonly clock: VirtualClock;
  readonly prober: Prober;
  readonly events: EventLog;
  /** Times of the attempts, ms since the start, by the probe's own mark (its httpGet path). */
  readonly attempts: [string, number][];
  answer: ProbeResult;
  changes: number;
  follow(ending?: boolean, id?: string, status?: Pod['status']): void;
}

function bench(container: Partial<Container>): Bench {
  const clock = new VirtualClock(0);
  const events = new EventLog();
  const attempts: [string, number][] = [];
  const made: Bench = {
    clock,
    events,
    attempts,
    answer: good,
    changes: 0,
    prober: new Prober({
      clock,
      random: createSeededRandom(1),
      events: createPodEvents(events),
      trace: silentTrace,
      nodeName: 'n',
      attempt: async (target) => {
        attempts.push([target.probe.httpGet?.path ?? '', clock.monotonic()]);
        return made.answer;
      },
    }),
    follow(ending = false, id = 'main-0', status) {
      const pod = testPod({ container, ...(status === undefined ? {} : { status }) });
      made.prober.follow({
        pod,
        containers: [running(pod, { id, startedAt: clock.now() })],
        podIP: '10.1.0.2',
        ending,
        changed: () => made.changes++,
      });
    },
  };
  return made;
}

const probe = (path: string, more: object = {}): NonNullable<Container['livenessProbe']> => ({
  httpGet: { path, port: 80 },
  periodSeconds: 10,
  ...more,
});

test('readiness: not ready at first, ready after the first success, then every period', async () => {
  const b = bench({ readinessProbe: probe('r', { initialDelaySeconds: 5 }) });
  b.follow();
  assert.equal(b.prober.verdicts('uid-web').get('main-0')?.readiness, 'failure');
  await pass(b.clock, 30_000);
  assert.deepEqual(
    b.attempts.map(([, at]) => at),
    [5_000, 15_000, 25_000],
  );
  assert.equal(b.prober.verdicts('uid-web').get('main-0')?.readiness, 'success');
  assert.equal(b.changes, 1);
  b.prober.close();
  assert.equal(b.clock.pending, 0);
});

test('liveness: fails after the threshold, with an event each time, and is then on hold', async () => {
  const b = bench({ livenessProbe: probe('l', { failureThreshold: 2 }) });
  b.answer = bad;
  b.follow();
  await pass(b.clock, 60_000);
  assert.deepEqual(
    b.attempts.map(([, at]) => at),
    [0, 10_000],
  );
  assert.equal(b.prober.verdicts('uid-web').get('main-0')?.liveness, 'failure');
  assert.deepEqual(b.events.lines, [
    'Warning Unhealthy Liveness probe failed: no',
    'Warning Unhealthy Liveness probe failed: no',
  ]);
});

test('the others wait for startup', async () => {
  const b = bench({ startupProbe: probe('s'), livenessProbe: probe('l'), readinessProbe: probe('r') });
  b.answer = bad;
  b.follow();
  await pass(b.clock, 15_000);
  assert.deepEqual(
    b.attempts.map(([path]) => path),
    ['s', 's'],
  );
  assert.equal(b.prober.verdicts('uid-web').get('main-0')?.startup, 'unknown');
  b.answer = good;
  await pass(b.clock, 10_000);
  assert.deepEqual(
    b.attempts
      .slice(2)
      .map(([path]) => path)
      .toSorted(),
    ['l', 'r', 's'],
  );
  assert.deepEqual(b.prober.verdicts('uid-web').get('main-0'), {
    startup: 'success',
    liveness: 'success',
    readiness: 'success',
  });
  b.prober.close();
});

test('a new container starts anew; one that is gone is forgotten', async () => {
  const b = bench({ readinessProbe: probe('r') });
  b.follow();
  await pass(b.clock, 1_000);
  b.follow(false, 'main-1');
  assert.deepEqual([...b.prober.verdicts('uid-web')], [['main-1', { readiness: 'failure' }]]);
  b.prober.close();
});

test('while the pod ends only readiness goes on', async () => {
  const b = bench({ livenessProbe: probe('l'), readinessProbe: probe('r') });
  b.follow();
  await pass(b.clock, 1_000);
  b.follow(true);
  await pass(b.clock, 10_000);
  assert.deepEqual(
    b.attempts.slice(2).map(([path]) => path),
    ['r'],
  );
  b.prober.forget('uid-web');
  assert.equal(b.clock.pending, 0);
});

test('a probe that cannot be asked changes nothing', async () => {
  const b = bench({ livenessProbe: probe('l', { failureThreshold: 1 }) });
  b.answer = { kind: 'error', output: 'broken' };
  b.follow();
  await pass(b.clock, 1_000);
  assert.equal(b.prober.verdicts('uid-web').get('main-0')?.liveness, 'success');
  assert.deepEqual(b.events.lines, ['Warning Unhealthy Liveness probe errored and resulted in unknown state: broken']);
  b.prober.close();
});

test('a container that was ready before the kubelet was started again stays so; another of its name does not', async () => {
  const told = (id: string): Pod['status'] => ({
    containerStatuses: [
      {
        name: 'main',
        ready: true,
        started: true,
        restartCount: 0,
        image: '',
        imageID: '',
        containerID: `containerd://${id}`,
      },
    ],
  });
  const probes = { readinessProbe: probe('r', { failureThreshold: 2 }), startupProbe: probe('s') };
  const b = bench(probes);
  b.follow(false, 'main-0', told('main-0'));
  assert.deepEqual(b.prober.verdicts('uid-web').get('main-0'), { startup: 'success', readiness: 'success' });
  b.answer = bad;
  await pass(b.clock, 25_000);
  assert.deepEqual([...new Set(b.attempts.map(([path]) => path))], ['r']);
  assert.equal(b.prober.verdicts('uid-web').get('main-0')?.readiness, 'failure');
  b.prober.close();
  const other = bench(probes);
  other.follow(false, 'main-0', told('main-7'));
  assert.deepEqual(other.prober.verdicts('uid-web').get('main-0'), { startup: 'unknown', readiness: 'failure' });
  other.prober.close();
});
