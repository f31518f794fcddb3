import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import { ExtenderError, HeldBackError, NoBinderError, VolumeBindingError } from '../errors.ts';
import { makePod } from '../testing/objects.ts';
import { demandOf } from '../plan/demand.ts';
import { failureReason, StatusWriter } from './status-writer.ts';

const ROWS: readonly { name: string; error: unknown; reason: string }[] = [
  {
    name: 'a plugin held it back',
    error: new HeldBackError({ plugin: 'Gang', reasons: ['not all are there'], unresolvable: false }),
    reason: 'Unschedulable',
  },
  { name: 'an extender did not bind it', error: new ExtenderError('http://e', 'not today'), reason: 'SchedulerError' },
  { name: 'nobody binds', error: new NoBinderError('mine'), reason: 'SchedulerError' },
  {
    name: 'its volumes did not come',
    error: new VolumeBindingError('default/p', 'timed out'),
    reason: 'SchedulerError',
  },
  { name: 'the server refused', error: new RangeError('not one of ours'), reason: 'SchedulerError' },
];

for (const row of ROWS) {
  test(`why a pod is not on its node: ${row.name}`, () => assert.equal(failureReason(row.error), row.reason));
}

test('what is said of a pod later arrives later, however slow the way is; pods do not wait for each other', async () => {
  const clock = new VirtualClock();
  const scope = new Scope('scheduler');
  const arrived: string[] = [];
  const delays = [500, 1, 1];
  const patch = async (name: string, _kind: string, { status }: { readonly status: object }): Promise<void> => {
    await new Promise<void>((resolve) => void clock.after(delays.shift() ?? 0, resolve));
    arrived.push(`${name} ${'nominatedNodeName' in status ? String(status.nominatedNodeName) : 'none'}`);
  };
  const client = { resource: () => ({ patch }) } as unknown as Client;
  const world = { clock, random: createSeededRandom(1), log: silentLogger };
  const writer = new StatusWriter({ client, world, scope, tellHeld: () => undefined });
  const [one, other] = [demandOf(makePod('one')), demandOf(makePod('other'))];
  writer.expect(one, 'n1');
  writer.expect(other, 'n2');
  await clock.advance(1_000);
  writer.write(one, { reason: 'Unschedulable', message: 'held back', nominatedNode: '' });
  await clock.advance(1_000);
  assert.deepEqual(arrived, ['other n2', 'one n1', 'one null']);
  const closed = scope.close();
  await clock.advance(0);
  await closed;
});
