import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  type FileHandle,
  chmod,
  link,
  lstat,
  mkdir,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { makeTestFolder } from '@binnacle/base/testing';
import { heldPath, hold, holdChild } from './descent.ts';
import { changeGroup, differsInGroup, removeTree } from './tree.ts';

const run = promisify(execFile);
const asRoot = { skip: process.getuid?.() === 0 ? false : 'needs root' };
const GROUP = { gid: 4242, readOnly: false };
let folder: string;

before(() => void (folder = makeTestFolder().path));
after(async () => rm(folder, { recursive: true, force: true }));

async function held<T>(path: string, act: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await hold(path);
  try {
    return await act(handle);
  } finally {
    await handle.close();
  }
}

async function outside(name: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  await writeFile(join(path, 'precious'), 'kept');
  await chmod(join(path, 'precious'), 0o600);
  return path;
}

test('removal takes links themselves, and nothing of what they name', async () => {
  const host = await outside('host1');
  await mkdir(join(folder, 'gone/a'), { recursive: true });
  await symlink(host, join(folder, 'gone/a/evil'));
  await symlink(host, join(folder, 'link'));
  await held(folder, (parent) => removeTree(parent, 'gone'));
  await held(folder, (parent) => removeTree(parent, 'link'));
  await held(folder, (parent) => removeTree(parent, 'absent'));
  assert.deepEqual([await readdir(folder), await readFile(join(host, 'precious'), 'utf8')], [['host1'], 'kept']);
});

test('removal keeps out of mounts, also those of the same file system', asRoot, async () => {
  const host = await outside('host2');
  const at = join(folder, 'pod/volume-subpaths/v');
  await mkdir(at, { recursive: true });
  await writeFile(join(folder, 'pod/file'), '');
  await run('mount', ['--bind', host, at]);
  try {
    await held(folder, (parent) => removeTree(parent, 'pod'));
    assert.equal(await readFile(join(host, 'precious'), 'utf8'), 'kept');
    assert.deepEqual(await readdir(join(folder, 'pod')), ['volume-subpaths']);
  } finally {
    await run('umount', [at]);
  }
  await held(folder, (parent) => removeTree(parent, 'pod'));
  assert.ok(!(await readdir(folder)).includes('pod'));
});

test('depth costs neither descriptors nor stack', async () => {
  await mkdir(join(folder, 'deep'));
  let at = await hold(join(folder, 'deep'));
  for (let i = 0; i < 3_000; i++) {
    await mkdir(`${heldPath(at)}/d`);
    const next = await holdChild(at, 'd');
    await at.close();
    at = next;
  }
  await at.close();
  await held(folder, (parent) => removeTree(parent, 'deep'));
  assert.ok(!(await readdir(folder)).includes('deep'));
});

test('a group gets the tree: no link is followed, no mount entered, set-user-id stays', asRoot, async () => {
  const host = await outside('host3');
  const tree = join(folder, 'tree');
  await mkdir(join(tree, 'sub/mounted'), { recursive: true });
  await writeFile(join(tree, 'sub/file'), '');
  await chmod(join(tree, 'sub/file'), 0o4700);
  await symlink(join(host, 'precious'), join(tree, 'evil'));
  await symlink(host, join(tree, 'evil-folder'));
  await run('mkfifo', [join(tree, 'pipe')]);
  await run('mount', ['--bind', host, join(tree, 'sub/mounted')]);
  try {
    assert.equal(await held(tree, (handle) => differsInGroup(handle, GROUP)), true);
    await held(tree, (handle) => changeGroup(handle, GROUP));
    assert.equal(await held(tree, (handle) => differsInGroup(handle, GROUP)), false);
  } finally {
    await run('umount', [join(tree, 'sub/mounted')]);
  }
  const precious = await stat(join(host, 'precious'));
  assert.deepEqual([precious.gid, precious.mode & 0o7777, (await stat(host)).gid], [0, 0o600, 0]);
  const modes = async (path: string): Promise<unknown> => {
    const { gid, mode } = await lstat(path);
    return [gid, (mode & 0o7777).toString(8)];
  };
  assert.deepEqual(await modes(join(tree, 'sub')), [4242, '2775']);
  assert.deepEqual(await modes(join(tree, 'sub/file')), [4242, '4760']);
  assert.equal((await lstat(join(tree, 'evil'))).gid, 4242);
});

test('a group that may only read gets no right to write', asRoot, async () => {
  const tree = join(folder, 'config');
  await mkdir(tree, { mode: 0o755 });
  await writeFile(join(tree, 'key'), '');
  await chmod(join(tree, 'key'), 0o400);
  await link(join(tree, 'key'), join(tree, 'same'));
  await held(tree, (handle) => changeGroup(handle, { gid: 4242, readOnly: true }));
  assert.deepEqual([(await stat(join(tree, 'key'))).mode & 0o7777, (await stat(tree)).mode & 0o7777], [0o440, 0o2755]);
});
