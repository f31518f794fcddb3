import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { VirtualClock } from '@binnacle/base';
import { PolicyGate } from './policy-gate.ts';

const POD = { metadata: { name: 'web', namespace: 'ns' } } as unknown as Pod;

test('a pod waits until its policies are there', async () => {
  const gate = new PolicyGate(new VirtualClock());
  const asked: string[] = [];
  const begun = gate.whenHeld(POD, ['10.0.0.2']).then(() => asked.push('begun'));
  const held = Promise.withResolvers<void>();
  gate.open({
    whenHeld: (pod, addresses) => {
      asked.push(`${pod.metadata.name} ${addresses.join()}`);
      return held.promise;
    },
    released: () => undefined,
  });
  await Promise.resolve();
  await Promise.resolve();
  assert.deepEqual(asked, ['web 10.0.0.2']);
  held.resolve();
  await begun;
  assert.deepEqual(asked, ['web 10.0.0.2', 'begun']);
});

test('a node without policies keeps nobody waiting', async () => {
  const gate = new PolicyGate(new VirtualClock());
  gate.open(undefined);
  await gate.whenHeld(POD, ['10.0.0.2']);
});

test('who waits too long is told, and may ask again', async () => {
  const clock = new VirtualClock();
  const gate = new PolicyGate(clock);
  const waited = gate.whenHeld(POD, ['10.0.0.2']);
  const told = assert.rejects(waited, { code: 'policies-late' });
  await clock.advance(10_000);
  await told;
  gate.open(undefined);
  await gate.whenHeld(POD, ['10.0.0.2']);
});

test('a pod that ends waits no more, and its end is told after what it asked for', async () => {
  const gate = new PolicyGate(new VirtualClock());
  const [ended, other] = ['ended', 'other'].map((uid) => ({ ...POD, metadata: { ...POD.metadata, uid } }) as Pod);
  const asked: string[] = [];
  const waited = assert.rejects(gate.whenHeld(ended!, ['10.0.0.2']), { code: 'pod-ended' });
  const begun = gate.whenHeld(other!, ['10.0.0.3']);
  gate.released(ended!);
  await waited;
  gate.open({
    whenHeld: async (pod, _addresses, { aborted }) => void asked.push(`${pod.metadata.uid} ${aborted}`),
    released: (pod) => void asked.push(`released ${pod.metadata.uid}`),
  });
  await begun;
  await Promise.resolve();
  assert.deepEqual(asked, ['ended true', 'other false', 'released ended']);
});
