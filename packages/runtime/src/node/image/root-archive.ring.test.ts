import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { makeTestFolder } from '@binnacle/base/testing';
import { RuntimeError } from '../../errors.ts';
import { buildRootImage } from './root-archive.ts';

const run = promisify(execFile);
const LONG = 'n'.repeat(120);
const IMAGE = { refs: ['tool:1'], config: { Entrypoint: ['/bin/tool'] } } as const;

interface Manifest {
  readonly manifests: readonly { readonly digest: string }[];
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
  readonly config: { readonly digest: string };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

describe('an image of a root file system', () => {
  let folder: string;
  let root: string;
  before(async () => {
    folder = makeTestFolder().path;
    root = join(folder, 'root');
    await mkdir(join(root, 'bin'), { recursive: true });
    await writeFile(join(root, 'bin/tool'), '#!/bin/sh\n');
    await chmod(join(root, 'bin/tool'), 0o755);
    await writeFile(join(root, LONG), 'long');
    await symlink('/bin/tool', join(root, 'tool'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const unpack = async (file: string): Promise<{ readonly rootfs: string; readonly diffId: string }> => {
    const [archive, rootfs] = [await mkdtemp(join(folder, 'oci-')), await mkdtemp(join(folder, 'out-'))];
    await run('tar', ['-xf', file, '-C', archive]);
    const path = (digest: string): string => join(archive, 'blobs', digest.replace(':', '/'));
    const read = async (name: string): Promise<Manifest> => JSON.parse(await readFile(name, 'utf8')) as Manifest;
    const manifest = await read(path((await read(join(archive, 'index.json'))).manifests[0]!.digest));
    const layer = manifest.layers[0]!;
    assert.equal((await stat(path(layer.digest))).size, layer.size);
    const { stdout: sum } = await run('sha256sum', [path(layer.digest)]);
    assert.equal(`sha256:${sum.slice(0, 64)}`, layer.digest);
    await run('tar', ['-xzf', path(layer.digest), '-C', rootfs]);
    return { rootfs, diffId: (await read(path(manifest.config.digest))).rootfs.diff_ids[0]! };
  };

  test('of a folder: modes, links and long names, the same bytes each time', async () => {
    const [a, b] = [join(folder, 'a.tar'), join(folder, 'b.tar')];
    const digest = await buildRootImage(root, IMAGE, a);
    await writeFile(join(root, LONG), 'long');
    assert.equal(await buildRootImage(root, IMAGE, b), digest);
    assert.ok((await readFile(a)).equals(await readFile(b)));
    const { rootfs } = await unpack(a);
    assert.equal((await stat(join(rootfs, 'bin/tool'))).mode & 0o777, 0o755);
    assert.equal(await readlink(join(rootfs, 'tool')), '/bin/tool');
    assert.equal(await readFile(join(rootfs, LONG), 'utf8'), 'long');
  });

  test('of a tar archive, however packed: as it is', async () => {
    const plain = join(folder, 'rootfs.tar');
    await run('tar', ['-cf', plain, '-C', root, '.']);
    const { stdout: sum } = await run('sha256sum', [plain]);
    const bytes = await readFile(plain);
    for (const [name, packed] of [
      ['plain', bytes],
      ['gzip', gzipSync(bytes)],
      ['zstd', zstdCompressSync(bytes)],
    ] as const) {
      const [file, out] = [join(folder, name), join(folder, `${name}.out`)];
      await writeFile(file, packed);
      await buildRootImage(file, IMAGE, out);
      const { rootfs, diffId } = await unpack(out);
      assert.equal(diffId, `sha256:${sum.slice(0, 64)}`, name);
      assert.equal(await readFile(join(rootfs, LONG), 'utf8'), 'long', name);
    }
  });

  test('what cannot be an image, or not whole, is refused and leaves nothing', async () => {
    const bad = join(folder, 'bad');
    await mkdir(bad);
    const packed = join(folder, 'rootfs.tgz');
    await run('tar', ['-czf', packed, '-C', root, '.']);
    const cut = (await readFile(packed)).subarray(0, 200);
    const files = { text: 'x'.repeat(1024), empty: '', cut } as const;
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    const withSocket = join(folder, 'with-socket');
    await mkdir(withSocket);
    const server = createServer().listen(join(withSocket, 's'));
    await new Promise((resolve) => server.once('listening', resolve));
    try {
      for (const [from, to, why] of [
        [join(folder, 'none'), join(bad, 'x'), /cannot read/],
        [join(folder, 'text'), join(bad, 'x'), /no tar archive/],
        [join(folder, 'empty'), join(bad, 'x'), /no whole tar archive/],
        [join(folder, 'cut'), join(bad, 'x'), /cannot unpack .*unexpected end/],
        [withSocket, join(bad, 'x'), /socket ignored/],
        [root, join(folder, 'missing/x'), /does not exist/],
        [folder, join(bad, 'x'), /into the folder that it is made of/],
      ] as const) {
        await assert.rejects(buildRootImage(from, IMAGE, to), (error) => {
          assert.ok(error instanceof RuntimeError, String(error));
          assert.match(error.message, why);
          return true;
        });
      }
    } finally {
      server.close();
    }
    assert.deepEqual(await readdir(bad), []);
  });
});
