import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { UsageError } from '../errors.ts';
import { defaultDataDir, deleteDataDir, downCommand, findDataDir, openDataDir } from './data-dir.ts';

function scratch(t: { after: (run: () => void) => void }): string {
  const folder = makeTestFolder().path;
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const ROWS: readonly [root: string, command: string][] = [
  [defaultDataDir(), 'binnacle down'],
  ['/tmp/a-b.c', 'binnacle down --data-dir /tmp/a-b.c'],
  ["/tmp/it's here", "binnacle down --data-dir '/tmp/it'\\''s here'"],
];

for (const [root, command] of ROWS) {
  test(`how the cluster in ${root} is stopped`, () => assert.equal(downCommand(root), command));
}

test('a folder of somebody else is neither made private nor looked into', (t) => {
  const folder = scratch(t);
  writeFileSync(join(folder, 'thesis.tex'), 'x', { mode: 0o644 });
  for (const open of [openDataDir, findDataDir]) {
    assert.throws(
      () => open(folder),
      (error) => error instanceof UsageError && error.message.includes('(thesis.tex)'),
    );
    assert.throws(() => open(''), UsageError);
  }
  assert.equal(statSync(join(folder, 'thesis.tex')).mode & 0o777, 0o644);
  assert.deepEqual(readdirSync(folder), ['thesis.tex']);
});

test('a folder that is not there is not made by who only asks', (t) => {
  const folder = join(scratch(t), 'none');
  assert.equal(findDataDir(folder), undefined);
  assert.equal(statSync(folder, { throwIfNoEntry: false }), undefined);
});

test('what is deleted is ours, and the folder where nothing else is in it', (t) => {
  const folder = scratch(t);
  for (const name of ['pki', 'store', 'kubelet', 'local-path', 'workers'])
    mkdirSync(join(folder, name, 'below'), { recursive: true });
  for (const name of [
    'run.json',
    'run.json.71',
    'run.json.71.71.tmp',
    'down.json.7.tmp',
    'run-kubelet-7.json',
    'store.mark',
    'binnacle.out',
  ])
    writeFileSync(join(folder, name), 'x', { mode: 0o600 });
  const notes = ['notes', 'pki.old', 'store.mark.bak'];
  for (const name of notes) writeFileSync(join(folder, name), 'x', { mode: 0o600 });
  const dataDir = openDataDir(folder);
  assert.deepEqual(deleteDataDir(dataDir), notes);
  assert.deepEqual(readdirSync(folder), notes);
  for (const name of notes) rmSync(join(folder, name));
  assert.deepEqual(deleteDataDir(dataDir), []);
  assert.equal(statSync(folder, { throwIfNoEntry: false }), undefined);
});
