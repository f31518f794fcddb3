import assert from 'node:assert/strict';
import { readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readTextFile, writeSecretFile } from './secret-file.ts';
import { makeTestFolder } from '../testing/test-folder.ts';

test('a file is replaced whole and private; one that is not there has no text', async (t) => {
  const folder = makeTestFolder().path;
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'below', 'a');
  assert.equal(await readTextFile(path), undefined);
  await writeSecretFile(path, 'one');
  await writeSecretFile(path, 'two');
  assert.equal(await readTextFile(path), 'two');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(join(folder, 'below')), ['a']);
});

test(
  'a full disk names the file that it did not take, and nothing is left',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const folder = makeTestFolder().path;
    t.after(() => rmSync(folder, { recursive: true }));
    symlinkSync('/dev/full', join(folder, 'a.new'));
    await assert.rejects(writeSecretFile(join(folder, 'a'), 'x'), { code: 'ENOSPC', path: join(folder, 'a') });
    assert.deepEqual(readdirSync(folder), []);
  },
);
