import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';
import { keptBytes } from './encoding.ts';

test('bytes are kept with the entry, by encoding and version, and made once', async () => {
  const { ask, server } = await startTestServer();
  await ask('POST /api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
  const entry = server.catalogue.stored({ group: '', resource: 'configmaps' })?.cache.get('default/a');
  assert.ok(entry !== undefined);
  let made = 0;
  const make = () => Uint8Array.of(++made);
  assert.equal(keptBytes(entry, 'a v1', make), keptBytes(entry, 'a v1', make));
  assert.deepEqual([...keptBytes(entry, 'a v2', make)], [2]);
  assert.equal(made, 2);
});
