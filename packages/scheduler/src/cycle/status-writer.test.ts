import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExtenderError, HeldBackError, NoBinderError, VolumeBindingError } from '../errors.ts';
import { failureReason } from './status-writer.ts';

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
