import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { idRecordPath, idsOfRecord, readIdRecord, writeIdRecord } from './id-record.ts';

test('what is written is read again, in upstream’s form', async () => {
  const files = createMemoryFiles();
  assert.equal(await readIdRecord(files, '/pods/u'), undefined);
  await writeIdRecord(files, '/pods/u', { first: 131_072, length: 65_536 });
  assert.deepEqual(await readIdRecord(files, '/pods/u'), { first: 131_072, length: 65_536 });
  const text = new TextDecoder().decode(await files.readFile(idRecordPath('/pods/u')));
  const mapping = '[{"hostId":131072,"containerId":0,"length":65536}]';
  assert.equal(text, `{"uidMappings":${mapping},"gidMappings":${mapping}}`);
  await files.writeFile(idRecordPath('/pods/u'), new Uint8Array());
  assert.equal(await readIdRecord(files, '/pods/u'), undefined, 'nothing in it');
});

const ONE = { hostId: 65_536, containerId: 0, length: 65_536 };
for (const [name, written, wanted] of [
  ['no JSON', '{', /no more than one mapping allowed/],
  ['another thing', 'null', /no more than one mapping allowed/],
  ['a prototype', '{"__proto__":{"uidMappings":[]}}', /no more than one mapping allowed/],
  ['two runs', { uidMappings: [ONE, ONE], gidMappings: [ONE, ONE] }, /no more than one mapping allowed/],
  ['no groups', { uidMappings: [ONE] }, /GID and UID mappings should be identical/],
  ['other groups', { uidMappings: [ONE], gidMappings: [{ ...ONE, hostId: 1 }] }, /should be identical/],
  [
    'no root',
    { uidMappings: [{ ...ONE, containerId: 1 }], gidMappings: [{ ...ONE, containerId: 1 }] },
    /UID 0 must be mapped/,
  ],
  ['no numbers', { uidMappings: [{ ...ONE, hostId: 'x' }], gidMappings: [{ ...ONE, hostId: 'x' }] }, /must be numbers/],
  ['nothing in the list', { uidMappings: [null], gidMappings: [null] }, /UID 0 must be mapped/],
] satisfies [string, string | object, RegExp][])
  test(`a record that no kubelet wrote: ${name}`, () => {
    assert.throws(() => idsOfRecord(typeof written === 'string' ? written : JSON.stringify(written)), wanted);
  });
