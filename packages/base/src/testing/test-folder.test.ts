import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isAboutFolder, makeTestFolder, sweepTestFolders } from './test-folder.ts';

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

test('a command that names folders of others is none of this folder', () => {
  const [own, other] = ['/tmp/binnacle-test-1-abcdef', '/tmp/binnacle-test-2-ghijkl'];
  for (const [command, expected] of [
    [`containerd -c ${own}/config.toml`, true],
    [`up --data-dir ${own} --image /tmp/binnacle-test-1-mnopqr/example.tar`, true],
    [`unshare sh hybrid ${own}/pods -- ${other}/run /run/containerd`, false],
    [`containerd -c ${other}/config.toml`, false],
    ['sleep 1', false],
  ] as const)
    assert.equal(isAboutFolder(command, own), expected, command);
  assert.equal(isAboutFolder('sh /srv/own/x', '/srv/own'), true, 'a folder of another name');
});
