import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { readRecord, writeRecord } from './checkpoint.ts';

test('what was written is read again', async () => {
  const files = createMemoryFiles();
  const record = {
    allocation: new Map([['constructor', { requests: { cpu: '1' } }]]),
    actuated: new Map([['id-1', { limits: { memory: '1Gi' } }]]),
  };
  await writeRecord(files, '/pod/resources.json', record);
  assert.deepEqual(await readRecord(files, '/pod/resources.json'), record);
});

for (const text of [
  ...['', '{', 'null', '[]', '{"allocated":1,"actuated":{}}', '{"allocated":{"a":1},"actuated":{}}'],
  ...['{"allocated":{"a":null},"actuated":{}}', '{"allocated":{"a":{"limits":null}},"actuated":{}}'],
  '{"allocated":{},"actuated":{"a":{"requests":{"cpu":1}}}}',
])
  test(`no record: ${text}`, async () => {
    const files = createMemoryFiles();
    await files.writeFile('/r', new TextEncoder().encode(text));
    assert.equal(await readRecord(files, '/r'), undefined);
  });

test('nothing was written', async () => assert.equal(await readRecord(createMemoryFiles(), '/r'), undefined));
