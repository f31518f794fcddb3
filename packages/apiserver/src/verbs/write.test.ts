import assert from 'node:assert/strict';
import test from 'node:test';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import { keyOf } from '../storage/keys.ts';

test('keys', () => {
  assert.equal(keyOf(true, 'ns', 'a'), 'ns/a');
  assert.equal(keyOf(false, 'ignored', 'a'), 'a');
});

test('compare-and-swap: one of two wins, the other learns what is there; the cause is remembered', async () => {
  const { ask, server, parts } = await startTestServer();
  await ask(`POST ${PODS_PATH}`, podNamed('a'));
  const { writer, causes } = parts.foundation;
  const served = server.catalogue.find('', 'v1', 'pods');
  assert.ok(served !== undefined);
  const entry = served.stored.cache.get('default/a');
  assert.ok(entry !== undefined);
  const write = (who: string) =>
    writer.put({
      stored: served.stored,
      key: entry.key,
      object: { ...entry.object, metadata: { ...entry.object.metadata, labels: { who } } },
      replaces: entry.revision,
      call: { cause: { id: who, component: who, request: 'PUT' } },
    });
  const [one, two] = await Promise.all([write('one'), write('two')]);
  assert.ok(one.written && !two.written);
  assert.equal(two.found?.modRevision, one.entry.revision);
  assert.deepEqual(one.entry.object.metadata.labels, { who: 'one' });
  assert.deepEqual(causes.find(one.entry.revision), {
    id: 'one',
    component: 'one',
    request: 'PUT',
    revision: String(one.entry.revision),
  });
  const cause = { id: 'x', component: 'x', request: 'DELETE' };
  assert.equal((await writer.delete(served.stored, { entry, call: { cause } })).written, false, 'the old revision');
  assert.equal((await writer.delete(served.stored, { entry: one.entry, call: { cause } })).written, true);
  assert.equal(await writer.readLive(served.stored, entry.key), undefined);
});
