import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { makeTestFolder } from '@binnacle/base/testing';
import { writeOciArchive } from './oci-archive.ts';

const run = promisify(execFile);

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly annotations?: { readonly [key: string]: string };
}

describe('image archives', () => {
  let folder: string;
  before(async () => {
    folder = makeTestFolder().path;
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const unpack = async (file: string): Promise<string> => {
    const target = await mkdtemp(join(folder, 'out-'));
    await run('tar', ['-xf', file, '-C', target]);
    return target;
  };
  const readBlob = async (root: string, blob: Descriptor): Promise<Buffer> => {
    const content = await readFile(join(root, 'blobs', blob.digest.replace(':', '/')));
    assert.equal(content.length, blob.size);
    assert.equal(`sha256:${createHash('sha256').update(content).digest('hex')}`, blob.digest);
    return content;
  };

  test('equal input gives equal bytes; every digest and size is right', async () => {
    const image = {
      refs: ['tool', 'example.com/tool:2'],
      files: [{ kind: 'file', path: 'hello', content: new TextEncoder().encode('hi') }],
      config: { Entrypoint: ['/hello'], User: '1000' },
      architecture: 'amd64',
    } as const;
    const [a, b] = [join(folder, 'a.tar'), join(folder, 'b.tar')];
    const digest = await writeOciArchive(image, a);
    assert.equal(await writeOciArchive(image, b), digest);
    assert.deepEqual(await readFile(a), await readFile(b));
    const root = await unpack(a);
    const index = JSON.parse(await readFile(join(root, 'index.json'), 'utf8')) as { manifests: Descriptor[] };
    assert.deepEqual(
      index.manifests.map((m) => [m.digest, m.annotations?.['io.containerd.image.name']]),
      [
        [digest, 'docker.io/library/tool:latest'],
        [digest, 'example.com/tool:2'],
      ],
    );
    const manifest = JSON.parse((await readBlob(root, index.manifests[0]!)).toString()) as {
      config: Descriptor;
      layers: Descriptor[];
    };
    await readBlob(root, manifest.layers[0]!);
    const config = JSON.parse((await readBlob(root, manifest.config)).toString()) as { config: object };
    assert.deepEqual(config.config, image.config);
  });
});
