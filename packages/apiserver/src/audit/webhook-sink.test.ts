import { createSeededRandom, HttpConnectError, VirtualClock } from '@binnacle/base';
import type { HttpCall, HttpCaller } from '@binnacle/base';
import assert from 'node:assert/strict';
import test from 'node:test';
import type { AuditEvent } from '../ports/audit.ts';
import { AuditSinkError } from './errors.ts';
import { WebhookSink } from './webhook-sink.ts';

const EVENT = { kind: 'Event', auditID: 'a' } as AuditEvent;

function start(isUp: () => boolean) {
  const clock = new VirtualClock();
  const sent: string[] = [];
  const http: Pick<HttpCaller, 'request'> = {
    request(call: HttpCall) {
      sent.push(new TextDecoder().decode(call.body as Uint8Array));
      if (!isUp()) return Promise.reject(new HttpConnectError(call, { fault: 'refused', text: 'refused' } as never));
      return Promise.resolve({ status: 200, headers: {}, body: (async function* () {})() });
    },
  };
  const world = { http: http as HttpCaller, clock, random: createSeededRandom(1) };
  return { clock, sent, sink: new WebhookSink(world, { endpoint: { url: 'https://hook/' }, initialBackoffMs: 100 }) };
}

test('events go as an EventList', async () => {
  const { sent, sink } = start(() => true);
  await sink.write([EVENT, EVENT]);
  assert.deepEqual(
    sent.map((text) => JSON.parse(text) as object),
    [{ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items: [EVENT, EVENT] }],
  );
});

test('it is tried five times', async () => {
  const { clock, sent, sink } = start(() => false);
  const lost = assert.rejects(sink.write([EVENT]), AuditSinkError);
  await clock.advance(10_000);
  await lost;
  assert.equal(sent.length, 5);
});

test('at the end it is tried once, and who waits for the next try stops', async () => {
  const { clock, sent, sink } = start(() => false);
  const waiting = assert.rejects(sink.write([EVENT]), AuditSinkError);
  await clock.advance(0);
  sink.lastCall();
  await waiting;
  await assert.rejects(sink.write([EVENT]), AuditSinkError);
  assert.deepEqual([sent.length, clock.pending], [2, 0]);
});
