import assert from 'node:assert/strict';
import test from 'node:test';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import { deleteObject, keyOf, putObject, readLive } from './write.ts';

test('keys', () => {
  assert.equal(keyOf(true, 'ns', 'a'), 'ns/a');
  assert.equal(keyOf(false, 'ignored', 'a'), 'a');
});

test('compare-and-swap: one of two wins, the other learns what is there; the cause is remembered', async () => {
  const { ask, server } = await startTestServer();
  await ask(`POST ${PODS_PATH}`, podNamed('a'));
  const { core } = server;
  const served = core.resources.find('', 'v1', 'pods');
  assert.ok(served !== undefined);
  const entry = served.stored.cache.get('default/a');
  assert.ok(entry !== undefined);
  const write = (who: string) =>
    putObject(core, {
      served,
      key: entry.key,
      object: { ...entry.object, metadata: { ...entry.object.metadata, labels: { who } } },
      replaces: entry.revision,
      cause: { id: who, component: who, request: 'PUT' },
    });
  const [one, two] = await Promise.all([write('one'), write('two')]);
  assert.ok(one.written && !two.written);
  assert.equal(two.found?.modRevision, one.entry.revision);
  assert.deepEqual(one.entry.object.metadata.labels, { who: 'one' });
  assert.deepEqual(core.causes.find(one.entry.revision), {
    id: 'one',
    component: 'one',
    request: 'PUT',
    revision: String(one.entry.revision),
  });
  const cause = { id: 'x', component: 'x', request: 'DELETE' };
  assert.equal((await deleteObject(core, served.stored, { entry, cause })).written, false, 'the old revision');
  assert.equal((await deleteObject(core, served.stored, { entry: one.entry, cause })).written, true);
  assert.equal(await readLive(core, served.stored, entry.key), undefined);
});
