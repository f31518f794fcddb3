import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { type FileHandle, open, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { makeTestFolder } from '@binnacle/base/testing';
import { sleep } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { writePayload } from '../volume/atomic.ts';
import { writeDown } from '../written-down.ts';
import { createHostFiles } from './files.ts';

const run = promisify(execFile);
const files = createHostFiles();
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = async (path: string): Promise<string> => new TextDecoder().decode(await files.readFile(path));
let folder: string;

before(() => void (folder = makeTestFolder().path));
after(async () => rm(folder, { recursive: true, force: true }));

test('what must outlast the machine’s power is on the disk before it has its name', async (t) => {
  const probe = await open(join(folder, 'probe'), 'w');
  const prototype = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const onDisk: string[][] = [];
  const datasync = Reflect.get(prototype, 'datasync') as (this: FileHandle) => Promise<void>;
  t.mock.method(prototype, 'datasync', async function sync(this: FileHandle) {
    onDisk.push((await readdir(folder)).filter((name) => name.startsWith('state') && !name.endsWith('.tmp')));
    return datasync.call(this);
  });
  await files.writeFile(join(folder, 'plain'), bytes('1'));
  assert.deepEqual(onDisk, []);
  await writeDown(files, join(folder, 'state'), { a: 1 });
  assert.deepEqual([onDisk, await textOf(join(folder, 'state'))], [[[]], '{"a":1}']);
});

test('an empty file is made where there is none, and nothing is taken from one that is there', async () => {
  const path = join(folder, 'made', 'lock');
  await files.makeFile(path);
  assert.deepEqual([await textOf(path), (await stat(path)).mode & 0o777], ['', 0o644]);
  await writeFile(path, 'theirs');
  const { ino } = await stat(path);
  await files.makeFile(path);
  assert.deepEqual([await textOf(path), (await stat(path)).ino], ['theirs', ino]);
  const own = createHostFiles({ roots: [folder] });
  await own.makeFile(path);
  await own.makeFile(join(folder, 'made', 'other'));
  assert.deepEqual([await textOf(path), await textOf(join(folder, 'made', 'other'))], ['theirs', '']);
});

test('files, links, directories, kinds', async () => {
  const at = (name: string): string => join(folder, 'a', name);
  await files.makeDirectory(at('d'), 0o777);
  assert.equal((await stat(at('d'))).mode & 0o777, 0o777);
  await files.writeFile(at('f'), bytes('hello'), { mode: 0o640 });
  assert.equal((await stat(at('f'))).mode & 0o777, 0o640);
  assert.deepEqual([await textOf(at('f')), await files.size(at('f')), await files.size(at('no'))], ['hello', 5, -1]);
  assert.equal(new TextDecoder().decode(await files.readRange(at('f'), 1, 3)), 'ell');
  assert.deepEqual([await files.readFile(at('no')), await files.readRange(at('no'), 0, 1)], [undefined, undefined]);
  await files.link('f', at('l'));
  await files.link('d', at('l'));
  assert.deepEqual(
    [await files.readLink(at('l')), await files.readLink(at('f')), await files.readLink(at('no'))],
    ['d', undefined, undefined],
  );
  assert.deepEqual(
    [
      await files.kind(at('d')),
      await files.kind(at('f')),
      await files.kind(at('l')),
      await files.kind(at('no')),
      await files.kind('/dev/null'),
    ],
    ['directory', 'file', 'directory', 'absent', 'charDevice'],
  );
  assert.deepEqual([...(await files.list(join(folder, 'a')))].toSorted(), ['d', 'f', 'l']);
  await files.changeGroup(at('d'), { gid: process.getgid?.() ?? 0, readOnly: false });
  assert.equal((await stat(at('d'))).mode & 0o7777, 0o2777);
  await files.remove(join(folder, 'a'));
  assert.equal(await files.kind(join(folder, 'a')), 'absent');
});

test('what is read of a file ends where it ends, or where it was asked to', async () => {
  const path = join(folder, 'large');
  const whole = Uint8Array.from({ length: 300_001 }, (_, i) => i % 251);
  await files.writeFile(path, whole);
  for (const [offset, length] of [
    [0, 1 << 30],
    [0, 65_536],
    [0, 65_537],
    [1, 300_000],
    [299_999, 5],
    [300_001, 5],
    [0, 0],
  ] as const)
    assert.deepEqual(await files.readRange(path, offset, length), whole.subarray(offset, offset + length));
});

test('a file of a volume: links lead no further than the volume, pipes and large files are refused', async () => {
  const volume = join(folder, 'volume');
  await files.makeDirectory(join(volume, 'd'));
  await files.writeFile(join(volume, 'd', 'env'), bytes('inside'));
  await files.writeFile(join(folder, 'secret'), bytes('outside'));
  await symlink('d/env', join(volume, 'near'));
  await symlink('../secret', join(volume, 'far'));
  await symlink('/etc/passwd', join(volume, 'root'));
  await run('mkfifo', [join(volume, 'pipe')]);
  const read = (path: string, bytesMax = 100) => files.readBelow({ volume, path, bytesMax });
  for (const path of ['d/env', 'near', './d/../near']) {
    assert.equal(new TextDecoder().decode(await read(path)), 'inside', path);
  }
  for (const path of ['far', 'root', 'pipe', 'd', '../secret'])
    await assert.rejects(read(path), { code: 'path' }, path);
  await assert.rejects(read('near', 5), { code: 'path' });
  assert.equal(await read('none'), undefined);
});

test('a payload on a real file system: swapped, linked, cleared', async () => {
  const at = join(folder, 'v');
  const put = (entries: [string, string][], stamp: number): Promise<void> =>
    writePayload(files, at, {
      entries: new Map(entries.map(([path, text]) => [path, { content: bytes(text), mode: 0o400 }])),
      stamp,
    });
  await put(
    [
      ['a', '1'],
      ['sub/b', '2'],
    ],
    0,
  );
  assert.deepEqual([await textOf(join(at, 'a')), await textOf(join(at, 'sub/b'))], ['1', '2']);
  await put([['a', '3']], 0);
  assert.equal(await textOf(join(at, 'a')), '3');
  assert.deepEqual(
    [...(await files.list(at))].filter((n) => !n.startsWith('..')),
    ['a'],
  );
  assert.equal((await files.list(at)).filter((n) => n.startsWith('..20') || n.startsWith('..19')).length, 1);
});

test('a watcher hears of changes, and of nothing where nothing is', async () => {
  let heard = 0;
  const stop = files.watch(folder, () => heard++);
  await files.writeFile(join(folder, 'w'), bytes('x'));
  for (let i = 0; i < 200 && heard === 0; i++) await sleep(realClock, 5);
  stop();
  assert.ok(heard > 0);
  files.watch(join(folder, 'nothing'), () => heard++)();
});

test(
  'a tmpfs is mounted once, kept out of removal, and unmounted',
  { skip: process.getuid?.() === 0 ? false : 'needs root' },
  async () => {
    const at = join(folder, 'm', 'ram');
    await files.makeDirectory(at);
    await files.mountTmpfs(at, 1 << 20);
    await files.mountTmpfs(at, 1 << 20);
    await files.writeFile(join(at, 'f'), bytes('x'));
    await files.remove(join(folder, 'm'));
    assert.equal(await textOf(join(at, 'f')), 'x');
    await files.unmount(at);
    await files.unmount(at);
    assert.equal(await files.kind(join(at, 'f')), 'absent');
    await files.remove(join(folder, 'm'));
    assert.equal(await files.kind(join(folder, 'm')), 'absent');
  },
);

test('below a root of ours a link, a pipe and a device are refused, whatever is asked for', async () => {
  const root = join(folder, 'own');
  const own = createHostFiles({ roots: [root] });
  const secret = join(folder, 'secret');
  await writeFile(secret, 'of the host');
  await own.makeDirectory(join(root, 'pod/c'), 0o750);
  assert.equal((await stat(join(root, 'pod/c'))).mode & 0o777, 0o750);
  await own.writeFile(join(root, 'pod/c/0.log'), bytes('log'), { mode: 0o640 });
  assert.equal(new TextDecoder().decode(await own.readRange(join(root, 'pod/c/0.log'), 1, 9)), 'og');
  await symlink(secret, join(root, 'pod/c/1.log'));
  await symlink(folder, join(root, 'pod/away'));
  await run('mkfifo', [join(root, 'pod/c/2.log')]);
  for (const path of ['pod/c/1.log', 'pod/away/secret', 'pod/c/2.log', 'pod/c']) {
    await assert.rejects(own.readFile(join(root, path)), { code: 'path' }, path);
  }
  const attempts: readonly (() => Promise<unknown>)[] = [
    () => own.list(join(root, 'pod/away')),
    () => own.size(join(root, 'pod/away/secret')),
    () => own.writeFile(join(root, 'pod/away/new'), bytes('x')),
    () => own.makeDirectory(join(root, 'pod/away/dir')),
    () => own.rename(join(root, 'pod/away/secret'), join(root, 'pod/taken')),
    () => own.link('x', join(root, 'pod/away/link')),
    () => own.changeGroup(join(root, 'pod/away'), { gid: 7, readOnly: false }),
    () => own.remove(join(root, 'pod/away/secret')),
  ];
  for (const attempt of attempts) await assert.rejects(attempt, { code: 'path' });
  await own.writeFile(join(root, 'pod/c/1.log'), bytes('taken back'));
  await own.remove(root);
  assert.deepEqual([await textOf(secret), (await readdir(folder)).includes('own')], ['of the host', false]);
});

test('what is our own is never gone to by a name that leads up, and nothing is removed by one', async () => {
  const root = join(folder, 'root');
  const own = createHostFiles({ roots: [root] });
  await own.writeFile(`${root}/pods/a/file`, bytes('a'));
  await own.writeFile(`${root}/plugins/record`, bytes('b'));
  for (const path of ['pods/..', 'pods/.', 'pods/../plugins', 'pods/a/../../plugins'])
    await assert.rejects(own.remove(`${root}/${path}`), { code: 'path' }, path);
  await assert.rejects(own.writeFile(`${root}/pods/..`, bytes('c')), { code: 'path' });
  await assert.rejects(own.rename(`${root}/pods/a`, `${root}/pods/..`), { code: 'path' });
  assert.deepEqual(
    [(await own.list(root)).toSorted(), await own.list(`${root}/pods/a`)],
    [['plugins', 'pods'], ['file']],
  );
});
