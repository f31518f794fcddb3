import assert from 'node:assert/strict';
import test from 'node:test';
import type { AuditEvent, AuditSink } from '../ports/audit.ts';
import { TruncatingSink } from './truncating-sink.ts';
import type { TruncateOptions } from './truncating-sink.ts';

const event = (id: string, level: AuditEvent['level'], more: Partial<AuditEvent> = {}): AuditEvent =>
  ({ auditID: id, level, ...more }) as AuditEvent;
const BYTES = JSON.stringify(event('a', 'Metadata')).length;

function start(options: Partial<TruncateOptions>, write?: AuditSink['write']) {
  const batches: (readonly AuditEvent[])[] = [];
  const lost: string[] = [];
  let closed = 0;
  const behind: AuditSink = {
    name: 'log',
    strict: true,
    write: write ?? ((events) => void batches.push(events)),
    close: () => Promise.resolve(void closed++),
  };
  const bounds = { batchBytesMax: 1000, eventBytesMax: 300, ...options };
  const sink = new TruncatingSink(behind, bounds, (plugin, events) => void lost.push(`${plugin} ${events}`));
  return { sink, batches, lost, isClosed: () => closed };
}

test('what fits passes as it is', () => {
  const { sink, batches } = start({});
  const one = event('a', 'RequestResponse', { requestObject: { a: 1 } });
  assert.equal(sink.write([one]), undefined);
  assert.equal(batches[0]?.[0], one);
  assert.deepEqual([sink.name, sink.strict], ['log', true]);
});

test('a large event loses its objects and says so; the event itself is left as it was', async () => {
  const { sink, batches, lost } = start({});
  const object = { text: 'ü'.repeat(200) };
  const large = event('a', 'RequestResponse', {
    requestObject: object,
    responseObject: object,
    annotations: { k: 'v' },
  });
  await sink.write([large]);
  assert.deepEqual(batches, [
    [event('a', 'RequestResponse', { annotations: { k: 'v', 'audit.k8s.io/truncated': 'true' } })],
  ]);
  assert.equal(large.requestObject, object);
  assert.deepEqual(lost, []);
});

test('what is too large without its objects is lost, and counted; the others go on', async () => {
  const { sink, batches, lost } = start({});
  const annotations = { text: 'x'.repeat(400) };
  await sink.write([
    event('a', 'Request', { annotations }),
    event('b', 'Metadata', { annotations }),
    event('c', 'Metadata'),
  ]);
  assert.deepEqual(lost, ['truncate 1', 'truncate 1']);
  assert.deepEqual(batches, [[event('c', 'Metadata')]]);
});

test('a batch that is too large is split, in order, and waited for as a whole', async () => {
  const order: string[] = [];
  const { sink } = start({ batchBytesMax: 2 * BYTES }, (events) => {
    order.push(events.map(({ auditID }) => auditID).join(''));
    return Promise.resolve();
  });
  await sink.write(['a', 'b', 'c', 'd', 'e'].map((id) => event(id, 'Metadata')));
  assert.deepEqual(order, ['ab', 'cd', 'e']);
});

test('a failure behind is a failure, and the end is passed on', async () => {
  const { sink, isClosed } = start({}, () => Promise.reject(new RangeError('full')));
  await assert.rejects(Promise.resolve(sink.write([event('a', 'Metadata')])), /full/);
  sink.lastCall();
  await sink.close();
  assert.equal(isClosed(), 1);
});
