import assert from 'node:assert/strict';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { parseSubordinateIds, subordinateIds } from './subordinate-ids.ts';

for (const [name, text, wanted] of [
  ['one run', '0: kubelet 65536 2147483648\n', { first: 65_536, length: 2_147_483_648 }],
  ['nothing', '', /invalid line ""/],
  ['two runs', '0: kubelet 65536 65536\n1: kubelet 131072 65536\n', /it must contain only one line/],
  ['a word short', '0: kubelet 65536\n', /invalid line "0: kubelet 65536"/],
  ['no number', '0: kubelet x 65536\n', /no numbers of 32 bits/],
  ['a number too large', '0: kubelet 65536 4294967296\n', /no numbers of 32 bits/],
] satisfies [string, string, object | RegExp][])
  test(`ids that a program tells of: ${name}`, () => {
    if (wanted instanceof RegExp) assert.throws(() => parseSubordinateIds(text), wanted);
    else assert.deepEqual(parseSubordinateIds(text), wanted);
  });

let folder: string;
before(() => void (folder = makeTestFolder().path));
after(() => rm(folder, { recursive: true, force: true }));

async function listsOf(passwd: string, script: string): Promise<{ passwd: string; program: string }> {
  const lists = { passwd: join(folder, 'passwd'), program: join(folder, 'program') };
  await writeFile(lists.passwd, passwd);
  await writeFile(lists.program, `#!/bin/sh\n${script}\n`);
  await chmod(lists.program, 0o755);
  return lists;
}

const USERS = 'root:x:0:0::/root:/bin/sh\nkubelet:x:900:900::/:/bin/false\n';

for (const [name, passwd, script, wanted] of [
  ['of its user', USERS, 'echo "0: kubelet 65536 6553600"', { first: 65_536, length: 6_553_600 }],
  ['no such user', 'root:x:0:0::/root:/bin/sh\nkubelet2:x:1:1::/:/bin/sh\n', 'exit 1', undefined],
  [
    'groups differ',
    USERS,
    'if [ "$1" = -g ]; then echo "0: kubelet 1 2"; else echo "0: kubelet 1 3"; fi',
    /mismatched subuids and subgids for user "kubelet"/,
  ],
  ['the program fails', USERS, 'exit 1', /error retrieving additional uids for user "kubelet"/],
] satisfies [string, string, string, object | RegExp | undefined][])
  test(`ids kept for a user: ${name}`, async () => {
    const asked = subordinateIds('kubelet', await listsOf(passwd, script));
    if (wanted instanceof RegExp) await assert.rejects(asked, wanted);
    else assert.deepEqual(await asked, wanted);
  });

test('without the program nothing is kept', async () => {
  const lists = await listsOf(USERS, '');
  assert.equal(await subordinateIds('kubelet', { ...lists, program: join(folder, 'none') }), undefined);
});
