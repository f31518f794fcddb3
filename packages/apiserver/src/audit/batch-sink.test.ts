import { silentLogger, VirtualClock } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import assert from 'node:assert/strict';
import test from 'node:test';
import type { AuditEvent, AuditSink } from '../ports/audit.ts';
import { BatchSink } from './batch-sink.ts';
import type { BatchOptions } from './batch-sink.ts';
import { AuditSinkError } from './errors.ts';

const OPTIONS: BatchOptions = { bufferSize: 10, batchSize: 4, batchWaitMs: 1000 };

function start(options: Partial<BatchOptions> = {}, write?: AuditSink['write']) {
  const clock = new VirtualClock();
  const batches: number[] = [];
  const lost: string[] = [];
  let closed = 0;
  const behind: AuditSink = {
    name: 'webhook',
    strict: false,
    write: write ?? ((events) => void batches.push(events.length)),
    close: () => Promise.resolve(void closed++),
  };
  const world = {
    clock,
    log: silentLogger,
    lost: (plugin: string, count: number) => void lost.push(`${plugin} ${count}`),
  };
  const sink = new BatchSink(behind, { ...OPTIONS, ...options }, world);
  const events = (count: number): void => {
    for (let n = 0; n < count; n++) sink.write([{ auditID: String(n) } as AuditEvent]);
  };
  return { clock, batches, lost, sink, events, isClosed: () => closed };
}

test('a full batch goes at once, a part of one after a while', async () => {
  const { clock, batches, events } = start();
  events(5);
  await clock.advance(0);
  assert.deepEqual(batches, [4]);
  await clock.advance(1000);
  assert.deepEqual([batches, clock.pending], [[4, 1], 0]);
});

test('events that come faster than a timer rings do not hold it back', async () => {
  const clock = new VirtualClock();
  let sent = 0;
  const lost: number[] = [];
  const behind: AuditSink = {
    name: 'log',
    strict: false,
    write: (events) => void (sent += events.length),
    close: () => Promise.resolve(),
  };
  // As Node's timers are: none rings before a millisecond.
  const slow: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms, run) => clock.after(Math.max(1, ms), run),
    soon: (run) => clock.soon(run),
  };
  const world = { clock: slow, log: silentLogger, lost: (_: string, count: number) => void lost.push(count) };
  const sink = new BatchSink(behind, { ...OPTIONS, batchWaitMs: 0 }, world);
  for (let n = 0; n < 40; n++) {
    sink.write([{ auditID: String(n) } as AuditEvent]);
    await clock.advance(0.25);
  }
  assert.deepEqual(lost, []);
  assert.ok(sent > 30, `${sent}`);
});

test('what does not fit is dropped and counted', async () => {
  const { clock, batches, lost, events } = start();
  events(13);
  assert.deepEqual(lost, ['buffered 1', 'buffered 1', 'buffered 1']);
  await clock.advance(2000);
  assert.deepEqual(batches, [4, 4, 2]);
});

test('a throttle holds batches back', async () => {
  const { clock, batches, events } = start({ batchSize: 1, throttle: { qps: 1, burst: 2 } });
  events(4);
  await clock.advance(10);
  assert.equal(batches.length, 2);
  await clock.advance(1000);
  assert.equal(batches.length, 3);
  await clock.advance(1000);
  assert.equal(batches.length, 4);
});

test('what is lost behind is counted, and the next batch goes', async () => {
  let tries = 0;
  const { clock, lost, events } = start({}, () => {
    tries++;
    return tries === 1 ? Promise.reject(new AuditSinkError('away')) : Promise.resolve();
  });
  events(8);
  await clock.advance(0);
  await clock.advance(0);
  assert.deepEqual([tries, lost], [2, ['webhook 4']]);
});

test('closing passes on what waits; what comes after is dropped', async () => {
  const { clock, batches, lost, sink, events, isClosed } = start({ throttle: { qps: 1, burst: 1 } });
  events(6);
  await sink.close();
  events(1);
  assert.deepEqual([batches, lost, isClosed(), clock.pending], [[4, 2], ['buffered 1'], 1, 0]);
});

test('closing waits for one that does not answer once, not once for each batch', async () => {
  let tries = 0;
  const { lost, sink, events, isClosed } = start({ throttle: { qps: 1, burst: 1 }, bufferSize: 100 }, () => {
    tries++;
    return Promise.reject(new AuditSinkError('away'));
  });
  events(50);
  await sink.close();
  assert.deepEqual([tries, lost, isClosed()], [1, ['webhook 4', 'buffered 46'], 1]);
});

test('a batch under way that fails is the last one, too', async () => {
  const first = Promise.withResolvers<void>();
  let tries = 0;
  const { clock, lost, sink, events } = start({ bufferSize: 100 }, () => {
    tries++;
    return first.promise;
  });
  events(50);
  await clock.advance(0);
  const closing = sink.close();
  first.reject(new AuditSinkError('away'));
  await closing;
  assert.deepEqual([tries, lost], [1, ['webhook 4', 'buffered 46']]);
});
