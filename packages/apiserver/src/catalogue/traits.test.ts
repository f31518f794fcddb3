import { RESOURCES } from '@binnacle/api';
import assert from 'node:assert/strict';
import test from 'node:test';
import { traitsOf } from './traits.ts';
import type { Traits } from './traits.ts';

function having(holds: (traits: Traits) => boolean): string[] {
  const names = RESOURCES.filter((info) => !info.virtual && holds(traitsOf(info))).map(({ group, resource }) =>
    group === '' ? resource : `${resource}.${group}`,
  );
  return [...new Set(names)].sort();
}

test('every name in the tables is a resource that exists', () => {
  assert.equal(having((traits) => traits.returnsDeleted).length, 7);
  assert.equal(having((traits) => traits.createOnUpdate).length, 10);
  assert.equal(having((traits) => !traits.unconditionalUpdate).length, 17);
  assert.equal(having((traits) => traits.generation).length, 28);
});

test('only replication controllers orphan by default, only events go away by themselves', () => {
  assert.deepEqual(
    having((traits) => traits.orphansByDefault),
    ['replicationcontrollers'],
  );
  assert.deepEqual(
    having((traits) => traits.ttlSeconds > 0),
    ['events', 'events.events.k8s.io'],
  );
});
