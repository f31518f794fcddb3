import assert from 'node:assert/strict';
import test from 'node:test';
import { RESOURCES, RESOURCES_ON_REQUEST } from '@binnacle/api';
import { groupVersion } from '@binnacle/machinery';
import { resourceName } from '../catalogue/definition.ts';
import type { Traits } from '../catalogue/traits.ts';
import { startTestServer } from '../testing/test-server.ts';
import { KINDS } from './table.ts';

const { server } = await startTestServer({ onRequest: RESOURCES_ON_REQUEST });

function having(holds: (traits: Traits) => boolean): string[] {
  const all = server.catalogue.all().filter(({ traits }) => holds(traits));
  return all.map(({ definition }) => definition.name).sort();
}

test('every row is about a resource that exists, and about subresources and versions that it has', () => {
  const stored = new Set(server.catalogue.all().map(({ definition }) => definition.name));
  for (const [name, row] of Object.entries(KINDS)) {
    assert.ok(stored.has(name), name);
    const definition = server.catalogue.definition(name);
    const versions = definition?.versions.map(({ info }) => groupVersion(info)) ?? [];
    for (const version of Object.keys(row.versions ?? {})) assert.ok(versions.includes(version), `${name} ${version}`);
  }
});

test('every resource of the table is served', () => {
  const known = new Set(server.catalogue.infos);
  assert.deepEqual([...RESOURCES, ...RESOURCES_ON_REQUEST].filter((info) => !known.has(info)).map(resourceName), []);
});

test('as many of each trait as upstream has', () => {
  assert.equal(having((traits) => traits.returnsDeleted).length, 7);
  assert.equal(having((traits) => traits.createOnUpdate).length, 9);
  assert.equal(having((traits) => !traits.unconditionalUpdate).length, 18);
  assert.equal(having((traits) => traits.generation).length, 28);
});

test('only replication controllers orphan by default, only events go away by themselves', () => {
  assert.deepEqual(
    having((traits) => traits.orphansByDefault),
    ['replicationcontrollers'],
  );
  assert.deepEqual(
    having((traits) => traits.ttlSeconds > 0),
    ['events'],
  );
});
