import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { VirtualClock } from '@binnacle/base/testing';
import { CompactedError, StoreClosedError } from '../errors.ts';
import { Recorder } from '../node/contract/harness.ts';
import type { Connection } from './connection.ts';
import { Translation } from './translation.ts';
import { EtcdWatch } from './watch.ts';
import type { Methods, WireWatch } from './wire.ts';

/** A stream whose other end is the test. */
class FakeStream extends EventEmitter {
  readonly written: Record<string, Record<string, unknown>>[] = [];
  cancelled = false;
  write(message: Record<string, Record<string, unknown>>): void {
    this.written.push(message);
  }
  cancel(): void {
    this.cancelled = true;
  }
  send(response: WireWatch): void {
    this.emit('data', response);
  }
  get startRevision(): unknown {
    return this.written[0]?.['create_request']?.['start_revision'];
  }
  get asked(): number {
    return this.written.filter((m) => 'progress_request' in m).length;
  }
}

function watching(facts: { startRevision?: number; promptProgress?: boolean; closed?: boolean } = {}) {
  const streams: FakeStream[] = [];
  const clock = new VirtualClock();
  const state = { revision: 10 };
  // The watch uses no more of the connection than these two.
  const connection = {
    duplex: () => streams[streams.push(new FakeStream()) - 1],
    recover: () => (facts.closed === true ? Promise.reject(new StoreClosedError()) : Promise.resolve()),
  } as unknown as Connection;
  const sink = new Recorder();
  const { startRevision = 0, promptProgress = true } = facts;
  const parts = {
    connection,
    methods: {} as Methods,
    translation: new Translation('/p/'),
    clock,
    log: silentLogger,
    promptProgress,
    revision: () => Promise.resolve(state.revision),
  };
  const ended: EtcdWatch[] = [];
  const watch = new EtcdWatch(parts, { key: '', end: '\0', startRevision }, { sink, onEnd: (w) => ended.push(w) });
  watch.start();
  const stream = (): FakeStream => {
    const last = streams.at(-1);
    assert.ok(last !== undefined);
    return last;
  };
  return { watch, sink, stream, streams, clock, state, ended };
}

const event = (revision: number) => ({ type: 0, kv: { key: Buffer.from('/p/a'), mod_revision: revision } });
const created = (revision: number): WireWatch => ({ created: true, header: { revision } });
const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

test('after a break it goes on behind the last event, and is created once', async () => {
  const { sink, stream, streams } = watching();
  assert.equal(stream().startRevision, 0);
  stream().send(created(10));
  stream().send({ header: { revision: 12 }, events: [event(11), event(12)] });
  stream().emit('error', new Error('broken'));
  await settle();
  assert.deepEqual([streams.length, stream().startRevision], [2, 13]);
  stream().send(created(15));
  streams[0]?.send({ header: { revision: 99 }, events: [event(99)] });
  stream().send({ header: { revision: 15 }, events: [event(12), event(13)] });
  assert.deepEqual(
    sink.events_.map((e) => e.kv.modRevision),
    [11, 12, 13],
    'nothing twice, nothing from the old stream',
  );
  assert.equal(sink.createdAt, 10);
});

test('broken before it stood, it begins now again; broken by close, it ends', async () => {
  const open = watching();
  open.stream().emit('end');
  await settle();
  assert.deepEqual([open.streams.length, open.stream().startRevision], [2, 0]);
  const closed = watching({ closed: true });
  closed.stream().emit('error', new Error('broken'));
  assert.ok((await closed.sink.ended()) instanceof StoreClosedError);
  assert.equal(closed.ended.length, 1);
});

test('progress is asked for again until it is new enough', async () => {
  const { watch, sink, stream, clock, state } = watching();
  stream().send(created(10));
  state.revision = 20;
  watch.requestProgress();
  await settle();
  assert.equal(stream().asked, 1);
  stream().send({ header: { revision: 15 } });
  assert.deepEqual(sink.progressed, []);
  await clock.advance(250);
  assert.equal(stream().asked, 3);
  stream().send({ header: { revision: 21 } });
  assert.deepEqual(sink.progressed, [21]);
  await clock.advance(1000);
  assert.deepEqual([stream().asked, clock.pending], [3, 0]);
});

test('an old server is not asked; an event proves it', async () => {
  const { watch, sink, stream, clock, state } = watching({ promptProgress: false });
  stream().send(created(10));
  state.revision = 20;
  watch.requestProgress();
  await clock.advance(1000);
  assert.deepEqual([stream().asked, sink.progressed], [0, []]);
  stream().send({ header: { revision: 19 }, events: [event(19)] });
  assert.deepEqual(sink.progressed, []);
  stream().send({ header: { revision: 20 }, events: [event(20)] });
  assert.deepEqual(sink.progressed, [20]);
});

test('a watch of the future proves nothing about the past', async () => {
  const { watch, sink, stream, clock } = watching({ startRevision: 1000 });
  stream().send(created(10));
  watch.requestProgress();
  await settle();
  assert.deepEqual(sink.progressed, []);
  stream().send({ header: { revision: 10 } });
  assert.deepEqual(sink.progressed, [10]);
  stream().emit('error', new Error('broken'));
  await clock.advance(0);
  assert.equal(stream().startRevision, 1000);
});

test('compacted away', async () => {
  const { sink, stream } = watching({ startRevision: 3 });
  stream().send(created(10));
  stream().send({ canceled: true, compact_revision: 7, header: { revision: 10 } });
  const error = await sink.ended();
  assert.ok(error instanceof CompactedError);
  assert.equal(error.compactRevision, 7);
  assert.equal(stream().cancelled, true);
});
