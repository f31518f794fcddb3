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

test('nothing was written', async () => {
  assert.deepEqual(await readGrants(createMemoryFiles(), '/c'), { resources: [], grants: new Map() });
});

const written = (grant: object): string =>
  JSON.stringify({ resources: ['x.test/y'], pods: { u: { c: { r: grant } } } });

for (const text of [
  ...['', '{', 'null', '[]', '{"resources":1,"pods":{}}', '{"resources":[]}', '{"resources":[],"pods":null}'],
  ...[
    '{"resources":[null],"pods":{}}',
    '{"resources":[],"pods":{"u":null}}',
    '{"resources":[],"pods":{"u":{"c":null}}}',
  ],
  ...[
    written({}),
    written({ ...GRANT, ids: null }),
    written({ ...GRANT, envs: { A: 1 } }),
    written({ ...GRANT, mounts: [{}] }),
  ],
])
  test(`no kubelet wrote ${text}`, async () => {
    const files = createMemoryFiles();
    await files.writeFile('/c', new TextEncoder().encode(text));
    assert.equal(await readGrants(files, '/c'), 'corrupt');
  });
