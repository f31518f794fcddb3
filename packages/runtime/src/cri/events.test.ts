import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock, silentLogger } from '@binnacle/base';
import type { RuntimeEvent } from '../ports.ts';
import type { Channel, GrpcFailure, Method, StreamSink } from '@binnacle/grpc';
import { EventSource } from './events.ts';
import { Identities } from './identities.ts';

interface OpenStream {
  readonly method: Method;
  readonly sink: StreamSink;
  cancelled: boolean;
}

class FakeRuntime {
  readonly clock = new VirtualClock();
  readonly identities = new Identities();
  readonly streams: OpenStream[] = [];
  readonly told: RuntimeEvent[] = [];
  readonly lost: string[] = [];
  listings = 0;
  away = false;
  creating = false;
  ended = true;
  readonly source: EventSource;

  constructor() {
    const channel: Channel = {
      unary: () => assert.fail('not called'),
      stream: (method, _request, sink) => {
        const stream: OpenStream = { method, sink, cancelled: false };
        this.streams.push(stream);
        return { cancel: (): void => void (stream.cancelled = true) };
      },
      decode: (_type, bytes) => JSON.parse(new TextDecoder().decode(bytes)) as unknown,
      close: () => undefined,
    };
    this.source = new EventSource({
      channel,
      endpoint: 'unix:///x',
      clock: this.clock,
      log: silentLogger,
      identities: this.identities,
      learn: async () => {
        this.listings++;
        if (this.away) throw new RangeError('away');
      },
      hasEnded: async () => this.ended,
      creating: () => this.creating,
    });
  }

  listen(): { stop(): void } {
    return this.source.subscribe({
      event: (event) => void this.told.push(event),
      lost: (error) => void this.lost.push(error.message),
    });
  }

  get stream(): OpenStream {
    return this.streams.at(-1)!;
  }

  /** As containerd sends it; the fake channel's encoding is JSON. */
  send(topic: string, event: object): void {
    const value = new TextEncoder().encode(JSON.stringify(event));
    this.stream.sink.message({ topic, event: { type_url: '', value } });
  }

  cut(status: number): void {
    const failure: GrpcFailure = { status, details: 'cut', error: new RangeError('cut') };
    this.stream.sink.end(failure);
  }
}

async function onContainerd(): Promise<FakeRuntime> {
  const fake = new FakeRuntime();
  fake.identities.learn('c1', { podUid: 'p1', sandboxId: 's1' });
  fake.listen();
  fake.cut(12);
  await fake.clock.advance(0);
  return fake;
}

test("CRI's own stream is tried first, containerd's where it is not implemented", async () => {
  const fake = new FakeRuntime();
  const subscription = fake.listen();
  assert.equal(fake.stream.method.method, 'GetContainerEvents');
  fake.cut(12);
  assert.equal(fake.stream.method.service, 'containerd.services.events.v1.Events');
  assert.deepEqual(fake.lost, []);
  subscription.stop();
  assert.equal(fake.stream.cancelled, true);
  await fake.clock.advance(10_000);
  assert.equal(fake.clock.pending, 0);
});

test('what CRI itself tells', async () => {
  const fake = new FakeRuntime();
  fake.identities.learn('c1', { podUid: 'p1', sandboxId: 's1' });
  fake.listen();
  fake.stream.sink.message({
    container_id: 'c1',
    container_event_type: 'CONTAINER_STOPPED_EVENT',
    pod_sandbox_status: null,
    containers_statuses: [{ id: 'c1', exit_code: 9 }],
  });
  assert.deepEqual(fake.told, [{ type: 'stopped', containerId: 'c1', podUid: 'p1', exitCode: 9 }]);
});

test('what containerd tells; the end of a command in a container is left out', async () => {
  const fake = await onContainerd();
  fake.send('/tasks/start', { container_id: 'c1' });
  fake.send('/tasks/exit', { container_id: 'c1', id: 'exec-1', exit_status: 1 });
  fake.send('/tasks/oom', { container_id: 'c1' });
  fake.send('/tasks/exit', { container_id: 'c1', id: 'c1', exit_status: 137 });
  fake.send('/tasks/paused', { container_id: 'c1' });
  await fake.clock.advance(0);
  fake.send('/containers/delete', { id: 'c1' });
  assert.deepEqual(
    fake.told.map((e) => [e.type, e.exitCode]),
    [
      ['started', undefined],
      ['oom', undefined],
      ['stopped', 137],
      ['deleted', undefined],
    ],
  );
  assert.ok(fake.told.every((e) => e.podUid === 'p1'));
});

test('an end is told when CRI knows it too, or after a bounded wait', async () => {
  const fake = await onContainerd();
  fake.ended = false;
  fake.send('/tasks/exit', { container_id: 'c1', id: 'c1', exit_status: 0 });
  await fake.clock.advance(20);
  assert.deepEqual(fake.told, []);
  fake.ended = true;
  await fake.clock.advance(20);
  assert.equal(fake.told.length, 1);
  fake.ended = false;
  fake.send('/tasks/exit', { container_id: 'c1', id: 'c1', exit_status: 0 });
  await fake.clock.advance(10_000);
  assert.equal(fake.told.length, 2);
  assert.equal(fake.clock.pending, 0);
});

test('events that come before their id is known wait for it; strangers are dropped', async () => {
  const fake = await onContainerd();
  fake.creating = true;
  fake.send('/tasks/start', { container_id: 'new' });
  fake.send('/tasks/start', { container_id: 'stranger' });
  assert.equal(fake.told.length, 0);
  fake.identities.learn('new', { podUid: 'p2', sandboxId: 'new' });
  assert.deepEqual(
    fake.told.map((e) => [e.containerId, e.podUid]),
    [['new', 'p2']],
  );
  fake.creating = false;
  const before = fake.listings;
  fake.source.settle();
  await fake.clock.advance(0);
  assert.equal(fake.listings, before + 1);
  fake.identities.learn('stranger', { podUid: 'p3', sandboxId: 'stranger' });
  assert.equal(fake.told.length, 1);
});

test('a cut is told at once and again when events come back', async () => {
  const fake = await onContainerd();
  fake.away = true;
  fake.cut(14);
  assert.deepEqual(fake.lost, ['cut']);
  await fake.clock.advance(100);
  fake.cut(14);
  await fake.clock.advance(200);
  fake.cut(14);
  assert.deepEqual(fake.lost, ['cut']);
  fake.away = false;
  await fake.clock.advance(5000);
  assert.equal(fake.lost.length, 2);
  assert.match(fake.lost[1] ?? '', /not available/);
  fake.send('/tasks/start', { container_id: 'c1' });
  assert.equal(fake.told.length, 1);
  assert.equal(fake.lost.length, 2);
});

test('a stream that is back before CRI answers is proved later, without opening it again', async () => {
  const fake = await onContainerd();
  fake.cut(14);
  fake.away = true;
  await fake.clock.advance(100);
  const opened = fake.streams.length;
  await fake.clock.advance(300);
  assert.equal(fake.lost.length, 1);
  fake.away = false;
  await fake.clock.advance(5000);
  assert.equal(fake.lost.length, 2);
  assert.equal(fake.streams.length, opened);
  assert.equal(fake.clock.pending, 0);
});
