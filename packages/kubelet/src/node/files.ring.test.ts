import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sleep } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { writePayload } from '../volume/atomic.ts';
import { createHostFiles } from './files.ts';

const files = createHostFiles();
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = async (path: string): Promise<string> => new TextDecoder().decode(await files.readFile(path));
let folder: string;

before(async () => (folder = await mkdtemp('/tmp/kubelet-files-')));
after(async () => rm(folder, { recursive: true, force: true }));

test('files, links, directories, kinds', async () => {
  const at = (name: string): string => join(folder, 'a', name);
  await files.makeDirectory(at('d'), 0o777);
  assert.equal((await stat(at('d'))).mode & 0o777, 0o777);
  await files.writeFile(at('f'), bytes('hello'), 0o640);
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
  await files.changeGroup(at('d'), process.getgid?.() ?? 0);
  assert.equal((await stat(at('d'))).mode & 0o7777, 0o2777);
  await files.remove(join(folder, 'a'));
  assert.equal(await files.kind(join(folder, 'a')), 'absent');
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
