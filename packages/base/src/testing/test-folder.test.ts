import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder, sweepTestFolders } from './test-folder.ts';

test('a folder of a test is its own, and is gone when it is removed', () => {
  const [one, two] = [makeTestFolder(), makeTestFolder()];
  assert.notEqual(one.path, two.path);
  for (const { path, remove } of [one, two]) {
    writeFileSync(join(path, 'file'), 'x');
    remove();
    assert.throws(() => readdirSync(path), { code: 'ENOENT' });
  }
});

test('what killed processes left is taken away, and nothing else', (t) => {
  const { path, remove } = makeTestFolder();
  t.after(remove);
  const dead = spawnSync(process.execPath, ['--version']).pid;
  const left = `binnacle-test-${dead}-abcDEF`;
  const kept = [
    `binnacle-test-${dead}-younge`,
    `binnacle-test-${process.pid}-abcDEF`,
    `binnacle-test-${dead}`,
    `binnacle-data-${dead}-abcDEF`,
  ];
  for (const name of [left, ...kept]) {
    mkdirSync(join(path, name, 'below'), { recursive: true });
    writeFileSync(join(path, name, 'below/file'), 'x');
    if (!name.endsWith('younge')) utimesSync(join(path, name), 1_000, 1_000);
  }
  sweepTestFolders(path);
  assert.deepEqual(readdirSync(path).toSorted(), kept.toSorted());
});
