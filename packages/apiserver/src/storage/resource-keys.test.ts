import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESOURCES } from '@binnacle/api';
import { ResourceKeys } from './resource-keys.ts';

test('every stored resource is known by the keys of its objects', () => {
  const keys = new ResourceKeys(() => ({ generation: 1, infos: RESOURCES }));
  for (const { storagePrefix, resource, storage, virtual } of RESOURCES) {
    if (virtual) continue;
    const name = storage.group === '' ? resource : `${resource}.${storage.group}`;
    assert.equal(keys.resourceOf(`/registry/${storagePrefix}/ns/name`), name, storagePrefix);
    assert.equal(keys.resourceOf(`/registry/${storagePrefix}/name`), name, storagePrefix);
  }
});

test('what is no object, and what came later', () => {
  const state = { generation: 1, infos: RESOURCES.slice(0, 0) };
  const keys = new ResourceKeys(() => state);
  for (const key of ['', 'x', '/registry/', '/registry/secrets', '/registry/secrets/a'])
    assert.equal(keys.resourceOf(key), undefined);
  Object.assign(state, { generation: 2, infos: RESOURCES });
  assert.equal(keys.resourceOf('/registry/secrets/ns/a'), 'secrets');
});
