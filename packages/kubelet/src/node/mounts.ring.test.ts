import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, readdir, rm, stat, statfs, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { mountsFrom } from './mount-table.ts';
import { readHugePages } from './numa-nodes.ts';
import { bindBelow, mountHugePages, mountTmpfs, unmountFrom } from './mounts.ts';

const asRoot = { skip: process.getuid?.() === 0 ? false : 'needs root' };
let folder: string;
let volume: string;

before(async () => {
  folder = makeTestFolder().path;
  volume = join(folder, 'volume');
  await mkdir(volume, { mode: 0o700 });
  await chmod(volume, 0o2777);
});
after(async () => {
  if (asRoot.skip === false) await unmountFrom(folder);
  await rm(folder, { recursive: true, force: true });
});

test('a folder is made with the mode of its volume and mounted', asRoot, async () => {
  const target = join(folder, 'parts/v/c/0');
  await bindBelow({ volume, path: 'made/here', target });
  await writeFile(join(target, 'f'), 'through');
  assert.equal(await readFile(join(volume, 'made/here/f'), 'utf8'), 'through');
  assert.equal((await stat(target)).mode & 0o7777, 0o2777);
});

test('a file is mounted as a file, also where a folder was mounted before', asRoot, async () => {
  const target = join(folder, 'parts/v/c/1');
  await bindBelow({ volume, path: 'first', target });
  await rm(join(volume, 'first'), { recursive: true });
  await writeFile(join(volume, 'first'), 'a file now');
  await bindBelow({ volume, path: 'first', target });
  assert.equal(await readFile(target, 'utf8'), 'a file now');
  assert.equal((await mountsFrom(target)).length, 1);
});

test('a link to the host is not mounted', asRoot, async () => {
  const target = join(folder, 'parts/v/c/2');
  await symlink('/', join(volume, 'evil'));
  await assert.rejects(bindBelow({ volume, path: 'evil', target }), { code: 'path' });
  await assert.rejects(bindBelow({ volume, path: 'evil/etc', target }), { code: 'path' });
  assert.deepEqual(await mountsFrom(target), []);
});

test('what was mounted stays what was found when a link takes its name', asRoot, async () => {
  const target = join(folder, 'parts/v/c/3');
  await mkdir(join(volume, 'mine'));
  await writeFile(join(volume, 'mine/f'), 'mine');
  await bindBelow({ volume, path: 'mine', target });
  await rm(join(volume, 'mine'), { recursive: true });
  await symlink('/', join(volume, 'mine'));
  assert.deepEqual(await readdir(target), []);
});

test('everything below a folder is unmounted, also mounts upon mounts', asRoot, async () => {
  const ram = join(folder, 'parts/ram dir');
  await mkdir(ram, { recursive: true });
  assert.deepEqual([await mountTmpfs(ram, 1 << 20), await mountTmpfs(ram, 1 << 20)], [true, false]);
  await mkdir(join(ram, 'inner'));
  await mountTmpfs(join(ram, 'inner'), 0);
  assert.equal((await mountsFrom(ram)).length, 2);
  await unmountFrom(join(folder, 'parts'));
  assert.deepEqual(await mountsFrom(join(folder, 'parts')), []);
  await unmountFrom(join(folder, 'parts'));
});

test('memory in huge pages is mounted once, where the kernel has them', asRoot, async (t) => {
  const [size] = await readHugePages();
  if (size === undefined || !(await readFile('/proc/filesystems', 'utf8')).includes('hugetlbfs'))
    return t.skip('no huge pages');
  const at = join(folder, 'pages');
  await mkdir(at);
  const made = [await mountHugePages(at, size.sizeBytes), await mountHugePages(at, size.sizeBytes)];
  assert.deepEqual(made, [true, false]);
  assert.deepEqual(await mountsFrom(at), [at]);
  assert.equal((await statfs(at)).bsize, size.sizeBytes);
  await unmountFrom(at);
  return undefined;
});
