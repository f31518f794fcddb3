/** Pods that wait for their devices to be made ready: whoever changes one claim costs those nothing that wait for others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceClaim } from '@binnacle/api/resource/v1';
import { formatTime, VirtualClock } from '@binnacle/base';
import { makeClaim } from '../testing/devices.ts';
import { BindingWait } from './binding-wait.ts';

const DEVICE = { driver: 'd', pool: 'p', device: 'a' };

test('a claim that changes is looked at for those pods that wait for it alone', async () => {
  const clock = new VirtualClock();
  const result = { request: 'r', ...DEVICE, bindingConditions: ['Attached'] };
  const allocation = { devices: { results: [result] }, allocationTimestamp: formatTime(clock.now()) };
  const claims = new Map<string, ResourceClaim>();
  for (let i = 0; i < 100; i++) claims.set(`default/c${i}`, makeClaim(`c${i}`, [], { status: { allocation } }));
  let looks = 0;
  const wait = new BindingWait({
    clock,
    timeoutMs: 60_000,
    profile: 'default-scheduler',
    claimOf: (key) => {
      looks++;
      return claims.get(key);
    },
  });
  const bound: string[] = [];
  const waiting = [...claims].map(async ([key, claim]) => {
    await wait.untilReady([claim], {});
    bound.push(key);
  });
  assert.equal(looks, 100);
  const lastTransitionTime = formatTime(clock.now());
  const told = { type: 'Attached', status: 'True' as const, reason: 'Told', message: '', lastTransitionTime };
  for (const [key, claim] of claims) {
    const ready = { ...claim, status: { allocation, devices: [{ ...DEVICE, conditions: [told] }] } };
    claims.set(key, ready);
    wait.look(ready);
  }
  await Promise.all(waiting);
  assert.deepEqual(bound, [...claims.keys()]);
  assert.equal(looks, 200);
  // Nobody waits any more.
  for (const claim of claims.values()) wait.look(claim);
  assert.equal(looks, 200);
});
