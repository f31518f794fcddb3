import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Volume } from '@binnacle/api/core/v1';
import type { ObjectReader } from '../ports.ts';
import { testPod } from '../testing/node.ts';
import type { OrInterrupted } from './driver.ts';
import { createMemoryFiles } from './memory-files.ts';
import { Volumes } from './volumes.ts';

const holder = { changed: (): void => undefined };
const waited: OrInterrupted = (work) => work;

function bench(data: { [key: string]: string } = { a: '1' }): {
  files: ReturnType<typeof createMemoryFiles>;
  volumes: Volumes;
  data: typeof data;
  readonly setUp: (...list: Volume[]) => ReturnType<Volumes['setUp']>;
} {
  const files = createMemoryFiles();
  let now = 0;
  const objects = { configMap: async () => ({ metadata: {}, data }) } as unknown as ObjectReader;
  const allocatable = { milliCpu: 1, memoryBytes: 1, ephemeralStorageBytes: 1 };
  const volumes = new Volumes({
    images: { puller: { ensure: () => Promise.reject(new Error('none')) }, mounts: undefined },
    csi: undefined,
    rootDirectory: '/k',
    files,
    objects,
    allocatable,
    now: () => (now += 1_000),
  });
  const setUp = (...list: Volume[]): ReturnType<Volumes['setUp']> =>
    volumes.setUp(testPod({ spec: { volumes: list } }), holder, waited);
  return { files, volumes, data, setUp };
}

const BASE = '/k/pods/uid-web/volumes';

test('an emptyDir is for everybody', async () => {
  const { files, setUp } = bench();
  const { volumes } = await setUp({ name: 'v', emptyDir: {} });
  assert.deepEqual(volumes.get('v'), { hostPath: `${BASE}/kubernetes.io~empty-dir/v`, readOnly: false });
  assert.equal(files.mode(`${BASE}/kubernetes.io~empty-dir/v`), 0o777);
});

test('content is swapped as a whole, and only when it is another', async () => {
  const { files, setUp, data } = bench();
  const path = `${BASE}/kubernetes.io~configmap/v`;
  const read = async (name: string): Promise<string> =>
    new TextDecoder().decode(await files.readFile(`${path}/${name}`));
  await setUp({ name: 'v', configMap: { name: 'cm' } });
  assert.equal(await read('a'), '1');
  const first = await files.readLink(`${path}/..data`);
  await setUp({ name: 'v', configMap: { name: 'cm' } });
  assert.equal(await files.readLink(`${path}/..data`), first);
  delete data['a'];
  data['b'] = '2';
  await setUp({ name: 'v', configMap: { name: 'cm' } });
  assert.deepEqual(
    [await read('b'), await files.kind(`${path}/a`), await files.readLink(`${path}/b`)],
    ['2', 'absent', '..data/b'],
  );
  assert.equal(await files.kind(`${path}/${first ?? ''}`), 'absent');
});

const hostPaths: readonly [string, string, string | undefined][] = [
  ['DirectoryOrCreate', '/new', undefined],
  ['FileOrCreate', '/newfile', undefined],
  [
    'Directory',
    '/file',
    'MountVolume.SetUp failed for volume "v" : hostPath type check failed: /file is not a directory',
  ],
  ['File', '/none', 'MountVolume.SetUp failed for volume "v" : hostPath type check failed: /none is not a file'],
  ['Socket', '/file', 'MountVolume.SetUp failed for volume "v" : hostPath type check failed: /file is not a socket'],
  ['', '/none', undefined],
];

for (const [type, path, message] of hostPaths) {
  test(`hostPath ${type || 'unchecked'} at ${path}`, async () => {
    const { files, setUp } = bench();
    await files.writeFile('/file', new Uint8Array());
    const done = setUp({ name: 'v', hostPath: { path, type: type as 'File' } });
    if (message === undefined) assert.deepEqual((await done).volumes.get('v'), { hostPath: path, readOnly: false });
    else await assert.rejects(done, { message });
  });
}

test('without files nothing is made, and paths are told all the same', async () => {
  const volumes = new Volumes({
    images: { puller: { ensure: () => Promise.reject(new Error('none')) }, mounts: undefined },
    csi: undefined,
    rootDirectory: '/k',
    files: undefined,
    objects: undefined,
    allocatable: { milliCpu: 1, memoryBytes: 1, ephemeralStorageBytes: 1 },
    now: () => 0,
  });
  const made = await volumes.setUp(
    testPod({ spec: { volumes: [{ name: 'v', secret: { secretName: 's' } }] } }),
    holder,
    waited,
  );
  assert.equal(made.volumes.get('v')?.hostPath, `${BASE}/kubernetes.io~secret/v`);
});
