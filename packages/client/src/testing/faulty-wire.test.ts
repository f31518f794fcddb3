import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { ApiCall, KubeObject, WatchEvent, WatchSink, Wire } from '@binnacle/machinery';
import { isTransportError } from '../errors.ts';
import { createFaultyNetwork } from './faulty-wire.ts';
import type { CallFault } from './faulty-wire.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const GET: ApiCall = { verb: 'get', resource: PODS, name: 'a' };
const event = (name: string): WatchEvent => ({ type: 'ADDED', object: { metadata: { name } } });

/** A server that writes down what reaches it, and says on its watches what a test wants it to. */
function setUp() {
  const clock = new VirtualClock();
  const network = createFaultyNetwork(clock);
  const reached: string[] = [];
  const sinks: WatchSink<KubeObject>[] = [];
  const wire: Wire = {
    call: (call) => {
      reached.push(`${call.verb} at ${clock.monotonic()}`);
      return Promise.resolve({ metadata: {} });
    },
    watch: (_call, sink) => {
      sinks.push(sink as unknown as WatchSink<KubeObject>);
      return { stop: () => reached.push('stop') };
    },
    batch: async (calls, settled) => {
      reached.push(`${calls.length} together`);
      calls.forEach((_, at) => settled(at, { status: 'fulfilled', value: {} }));
    },
    raw: () => Promise.reject(status.badRequest('none')),
    open: () => Promise.reject(status.badRequest('none')),
    close: () => Promise.resolve(),
  };
  const connection = network.connect(wire);
  const told: string[] = [];
  const watch = (resourceVersion = ''): { stop(): void } =>
    connection.watch(
      { resource: PODS, query: { resourceVersion } },
      {
        events: (batch) => told.push(batch.map((one) => one.object.metadata.name).join()),
        end: (error) => told.push(`end ${error === undefined ? 'cleanly' : (error as { code?: string }).code}`),
      },
    );
  return { clock, network, reached, sinks, connection, told, watch };
}

for (const [name, fault, outcome, reaches] of [
  ['none', undefined, 'answered', ['get at 0']],
  ['refused', { kind: 'refuse', error: status.serviceUnavailable('down') }, 'ServiceUnavailable', []],
  ['a lost request', { kind: 'lose-request' }, 'transport-cut', []],
  ['a lost reply is done all the same', { kind: 'lose-reply' }, 'transport-cut', ['get at 0']],
  ['a delay', { kind: 'delay', ms: 50 }, 'answered', ['get at 50']],
  ['done after its caller gave up', { kind: 'late', ms: 50 }, 'transport-cut', ['get at 50']],
] as const satisfies readonly (readonly [string, CallFault | undefined, string, readonly string[]])[]) {
  test(`a call and its fault: ${name}`, async () => {
    const { clock, network, reached, connection } = setUp();
    network.faults.call = () => fault;
    const outcomes: unknown[] = [];
    void connection.call(GET).then(
      () => outcomes.push('answered'),
      (error: { code?: string }) => outcomes.push(error.code),
    );
    await clock.advance(100);
    assert.deepEqual([outcomes, reached], [[outcome], reaches]);
    assert.equal(network.calls.length, 1);
  });
}

test('calls that go together are each counted, and each have a fault of their own', async () => {
  const { network, connection, reached } = setUp();
  const outcomes: string[] = [];
  const together = () =>
    connection.batch(
      ['a', 'b'].map((name) => ({ verb: 'delete', resource: PODS, name }) as const),
      (at, { status: what }) => void outcomes.push(`${at} ${what}`),
    );
  await together();
  network.faults.call = ({ name }) => (name === 'a' ? { kind: 'lose-request' } : undefined);
  await together();
  connection.kill();
  await together();
  assert.deepEqual(outcomes.slice(0, 2), ['0 fulfilled', '1 fulfilled']);
  assert.deepEqual(outcomes.slice(2, 4).toSorted(), ['0 rejected', '1 fulfilled']);
  assert.deepEqual(outcomes.slice(4).toSorted(), ['0 rejected', '1 rejected']);
  assert.deepEqual(reached, ['2 together', 'delete at 0']);
  assert.equal(network.calls.length, 4);
});

test('a call that is called off while it is held up ends there', async () => {
  const { network, connection } = setUp();
  network.faults.call = () => ({ kind: 'delay', ms: 1e9 });
  const stop = new AbortController();
  const asked = connection.call({ ...GET, signal: stop.signal });
  stop.abort();
  await assert.rejects(asked, { code: 'aborted' });
});

test('a stream may be late and may stutter, and keeps its order', async () => {
  const { clock, network, sinks, told, watch } = setUp();
  watch();
  network.faults.watchDelayMs = () => 100;
  sinks[0]?.events([event('a')]);
  await clock.advance(50);
  sinks[0]?.events([event('b')]);
  assert.deepEqual(told, []);
  await clock.advance(50);
  assert.deepEqual(told, ['a,b']);
  Object.assign(network.faults, { watchDelayMs: undefined, duplicate: () => true });
  sinks[0]?.events([event('c')]);
  assert.deepEqual(told, ['a,b', 'c,c']);
});

test('streams are cut with an error or cleanly, and each ends once', () => {
  const { network, reached, sinks, told, watch } = setUp();
  watch();
  network.cutWatches();
  watch();
  network.cutWatches(null);
  sinks[0]?.end();
  sinks[1]?.events([event('late')]);
  assert.deepEqual(told, ['end transport-cut', 'end cleanly']);
  assert.deepEqual(reached, ['stop', 'stop'], 'the server hears of it');
  assert.equal(network.watchCount, 0);
});

test('a revision that is forgotten cannot be watched from', async () => {
  const { clock, network, sinks, told, watch } = setUp();
  network.forget(10);
  watch('10');
  watch('11');
  watch();
  await clock.advance(0);
  assert.deepEqual(told, ['end Expired']);
  assert.equal(sinks.length, 2);
});

test('who is killed is answered no more, and his watches end', async () => {
  const { connection, network, told, watch } = setUp();
  watch();
  connection.kill();
  assert.deepEqual([told, network.watchCount], [['end transport-cut'], 0]);
  await assert.rejects(connection.call(GET), isTransportError);
});
