import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readlink, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { makeTestFolder } from '@binnacle/base/testing';
import { RuntimeError } from '../../errors.ts';
import { buildBusyboxImage, buildPauseImage } from './builtin.ts';
import { importImage } from './import.ts';

const run = promisify(execFile);

interface Manifest {
  readonly manifests: readonly { readonly digest: string }[];
  readonly layers: readonly { readonly digest: string }[];
}

describe('images of our own', () => {
  let folder: string;
  before(async () => {
    folder = makeTestFolder().path;
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const unpackRoot = async (file: string): Promise<string> => {
    const [archive, rootfs] = [await mkdtemp(join(folder, 'oci-')), await mkdtemp(join(folder, 'root-'))];
    await run('tar', ['-xf', file, '-C', archive]);
    const read = async (path: string): Promise<Manifest> =>
      JSON.parse(await readFile(join(archive, path), 'utf8')) as Manifest;
    const blob = (digest: string): string => join('blobs', digest.replace(':', '/'));
    const manifest = await read(blob((await read('index.json')).manifests[0]!.digest));
    await run('tar', ['-xzf', join(archive, blob(manifest.layers[0]!.digest)), '-C', rootfs]);
    return rootfs;
  };

  test('busybox has its programs, accounts and what is added', async () => {
    const page = { kind: 'file', path: 'www/index.html', content: new TextEncoder().encode('page') } as const;
    const www = { kind: 'directory', path: 'www' } as const;
    await buildBusyboxImage(join(folder, 'bb.tar'), { refs: ['busybox:1.35'], files: [www, page] });
    const rootfs = await unpackRoot(join(folder, 'bb.tar'));
    assert.equal(await readlink(join(rootfs, 'bin/sh')), '/bin/busybox');
    assert.equal((await stat(join(rootfs, 'tmp'))).mode & 0o7777, 0o1777);
    assert.equal(await readFile(join(rootfs, 'www/index.html'), 'utf8'), 'page');
    assert.equal((await run('chroot', [rootfs, '/bin/sh', '-c', 'id -u -n; echo $0'])).stdout, 'root\n/bin/sh\n');
  });

  test('the sandbox image is small', async () => {
    await buildPauseImage(join(folder, 'pause.tar'));
    assert.ok((await stat(join(folder, 'pause.tar'))).size < 3_000_000);
  });

  test('what cannot be imported says why', async () => {
    await assert.rejects(importImage(`unix://${folder}/none.sock`, join(folder, 'none.tar')), RuntimeError);
  });
});
