import assert from 'node:assert/strict';
import { mkdir, readdir, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { type DescentRule, descend, heldPath, hold, holdChild, mountOf, namesIn } from './descent.ts';

let folder: string;
let volume: string;

before(async () => {
  folder = await realpath(makeTestFolder().path);
  volume = join(folder, 'volume');
  await mkdir(join(volume, 'a/b'), { recursive: true });
  await writeFile(join(volume, 'a/b/file'), 'inside');
  await writeFile(join(folder, 'secret'), 'outside');
  const links: readonly [string, string][] = [
    ['/', 'evil'],
    ['../secret', 'up'],
    ['a/b', 'in'],
    ['../volume/a', 'around'],
    [join(volume, 'a'), 'absolute'],
    [`${volume}-not`, 'similar'],
    ['loop', 'loop'],
    ['in/../../../../secret', 'steps'],
    ['missing', 'dangling'],
    ['/proc/self/root', 'magic'],
  ];
  for (const [target, name] of links) await symlink(target, join(volume, name));
});
after(async () => rm(folder, { recursive: true, force: true }));

const rows: readonly [string, DescentRule, string | { readonly code: string }][] = [
  ['a/b/file', { links: 'refused' }, 'a/b/file'],
  ['a//./b/', { links: 'refused' }, 'a/b'],
  ['', { links: 'refused' }, ''],
  ['in/file', { links: 'inside' }, 'a/b/file'],
  ['in/../b', { links: 'inside' }, 'a/b'],
  ['absolute/b', { links: 'inside' }, 'a/b'],
  ['in/file', { links: 'refused' }, { code: 'path' }],
  ['evil', { links: 'inside' }, { code: 'path' }],
  ['evil/etc/passwd', { links: 'inside' }, { code: 'path' }],
  ['up', { links: 'inside' }, { code: 'path' }],
  ['around', { links: 'inside' }, { code: 'path' }],
  ['similar', { links: 'inside' }, { code: 'path' }],
  ['magic', { links: 'inside' }, { code: 'path' }],
  ['steps', { links: 'inside' }, { code: 'path' }],
  ['loop', { links: 'inside' }, { code: 'path' }],
  ['../secret', { links: 'inside' }, { code: 'path' }],
  ['a/../../secret', { links: 'inside' }, { code: 'path' }],
  ['a/../a', { links: 'refused' }, { code: 'path' }],
  ['dangling', { links: 'inside', make: 0o777 }, { code: 'ENOENT' }],
  ['nothing', { links: 'inside' }, { code: 'ENOENT' }],
  ['a/b/file/x', { links: 'inside', make: 0o777 }, { code: 'ENOTDIR' }],
  ['x/'.repeat(3_000), { links: 'inside', make: 0o777 }, { code: 'path' }],
];

for (const [path, rule, wanted] of rows) {
  test(`${path.slice(0, 20)}, links ${rule.links}: ${JSON.stringify(wanted)}`, async () => {
    if (typeof wanted !== 'string') return assert.rejects(descend(volume, path, rule), wanted);
    const held = await descend(volume, path, rule);
    try {
      assert.equal(await realpath(heldPath(held)), join(volume, wanted));
    } finally {
      await held.close();
    }
  });
}

test('what is missing is made, the last of it with the mode asked for', async () => {
  const held = await descend(volume, 'new/deep', { links: 'inside', make: 0o2777 });
  await held.close();
  assert.equal((await stat(join(volume, 'new/deep'))).mode & 0o7777, 0o2777);
  assert.equal((await stat(join(volume, 'new'))).mode & 0o777, 0o777 & ~process.umask());
});

test('no descriptor is left open, however it ends', async () => {
  const open = async (): Promise<number> => (await readdir('/proc/self/fd')).length;
  const before = await open();
  for (const path of ['evil', 'loop', 'steps', 'nothing', 'a/b/file/x']) {
    await assert.rejects(descend(volume, path, { links: 'inside' }));
  }
  assert.equal(await open(), before);
});

test('while somebody exchanges a folder for a link to the host, nothing outside is ever reached', async () => {
  const target = join(volume, 'race');
  let going = true;
  let turns = 0;
  const attacker = (async (): Promise<void> => {
    for (; going; turns++) {
      await rm(target, { recursive: true, force: true });
      await mkdir(target).catch(() => undefined);
      await rm(target, { recursive: true, force: true });
      await symlink(turns % 2 === 0 ? folder : '/', target).catch(() => undefined);
    }
  })();
  const reached = new Set<string>();
  for (let i = 0; i < 400; i++) {
    try {
      const held = await descend(volume, 'race', { links: 'inside', make: 0o777 });
      const { ino, dev } = await held.stat();
      reached.add(`${dev}:${ino}`);
      await held.close();
    } catch {
      reached.add('refused');
    }
  }
  going = false;
  await attacker;
  for (const outside of ['/', folder]) {
    const { ino, dev } = await stat(outside);
    assert.ok(!reached.has(`${dev}:${ino}`), `reached ${outside} in ${turns} turns`);
  }
  assert.ok(turns > 5);
});

test('a held thing knows its mount', async () => {
  const root = await hold('/');
  const proc = await holdChild(root, 'proc');
  try {
    assert.notEqual(await mountOf(root), await mountOf(proc));
  } finally {
    await root.close();
    await proc.close();
  }
});

test('names are read as they are asked for, not all at once', async () => {
  const full = join(folder, 'full');
  await mkdir(full);
  const wanted = 5000;
  for (let i = 0; i < wanted; i++) await writeFile(join(full, `${'n'.repeat(200)}${i}`), '');
  const held = await hold(full);
  try {
    let seen = 0;
    for await (const name of namesIn(held)) {
      // What was not read yet is not there any more.
      if (seen++ === 0) for (const other of await readdir(full)) if (other !== name) await rm(join(full, other));
    }
    assert.ok(seen >= 1 && seen < wanted, String(seen));
  } finally {
    await held.close();
  }
});
