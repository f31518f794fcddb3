import assert from 'node:assert/strict';
import { link, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { hold } from './descent.ts';
import { treeCount, treeUsage } from './usage.ts';

test('what is there counts once, what links name counts not', async () => {
  const folder = makeTestFolder().path;
  const held = await hold(folder);
  try {
    await mkdir(join(folder, 'a/b'), { recursive: true });
    await writeFile(join(folder, 'a/b/file'), new Uint8Array(1 << 20));
    await link(join(folder, 'a/b/file'), join(folder, 'same'));
    await symlink('/usr', join(folder, 'away'));
    const bytes = await treeUsage(held, Infinity);
    assert.ok(bytes >= 1 << 20 && bytes < (1 << 20) + 65_536, String(bytes));
    const file = await hold(join(folder, 'same'));
    assert.ok((await treeUsage(file, Infinity)) >= 1 << 20);
    await file.close();
    for (let i = 0; i < 50; i++) await writeFile(join(folder, `f${i}`), new Uint8Array(8192));
    assert.ok((await treeUsage(held, 16_384)) < 1 << 21);
    assert.ok((await treeUsage(held, 16_384)) > 16_384);
  } finally {
    await held.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test('inodes: one for each file and folder, by whatever names', async () => {
  const folder = makeTestFolder().path;
  const held = await hold(folder);
  try {
    await mkdir(join(folder, 'a/b'), { recursive: true });
    for (let i = 0; i < 20; i++) await writeFile(join(folder, `a/b/${i}`), '');
    await link(join(folder, 'a/b/0'), join(folder, 'same'));
    await symlink('/usr', join(folder, 'away'));
    assert.equal(await treeUsage(held, Infinity, 'inodes'), 1 + 2 + 20 + 1);
    assert.equal(await treeUsage(held, 4, 'inodes'), 5);
    const both = { bytes: await treeUsage(held, Infinity), inodes: 24 };
    assert.deepEqual(await treeCount(held), both);
    const file = await hold(join(folder, 'same'));
    assert.equal(await treeUsage(file, Infinity, 'inodes'), 1);
    await file.close();
  } finally {
    await held.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test('what lies too deep to be counted is over any limit, and no reason to stop where there is none', async () => {
  const folder = makeTestFolder().path;
  const held = await hold(folder);
  try {
    await mkdir(join(folder, 'd/'.repeat(300)), { recursive: true });
    assert.ok((await treeUsage(held, 1 << 30)) > 1 << 30);
    assert.ok((await treeUsage(held, Infinity)) < 1 << 30);
    const { bytes, inodes } = await treeCount(held);
    assert.ok(bytes < 1 << 30 && inodes > 200 && inodes <= 301, `${bytes} ${inodes}`);
  } finally {
    await held.close();
    await rm(folder, { recursive: true, force: true });
  }
});
