import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { readGrants, writeGrants } from './device-records.ts';

const GRANT = { ids: ['a'], envs: { A: '1' }, annotations: {}, mounts: [], devices: [] };

test('what was written is read', async () => {
  const files = createMemoryFiles();
  const grants = new Map([['uid', new Map([['main', new Map([['x.test/y', GRANT]])]])]]);
  await writeGrants(files, '/c', { resources: ['x.test/y'], grants });
  assert.deepEqual(await readGrants(files, '/c'), { resources: ['x.test/y'], grants });
});

for (const text of [undefined, '', '{', 'null', '{"resources":1,"pods":{}}', '{"resources":[]}'])
  test(`nothing in ${text ?? 'no file'}`, async () => {
    const files = createMemoryFiles();
    if (text !== undefined) await files.writeFile('/c', new TextEncoder().encode(text));
    assert.deepEqual(await readGrants(files, '/c'), { resources: [], grants: new Map() });
  });
