import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import type { Volume } from '@binnacle/api/core/v1';
import { VolumesError } from '../errors.ts';
import type { ObjectReader } from '../ports.ts';
import { testPod } from '../testing/node.ts';
import { createMemoryFiles } from './memory-files.ts';
import { Volumes, type VolumesCall } from './volumes.ts';

const call: VolumesCall = {
  holder: { changed: () => undefined },
  orInterrupted: (work) => work,
  isNew: false,
  hadBefore: false,
};

function bench(data: { [key: string]: string } = { a: '1' }): {
  files: ReturnType<typeof createMemoryFiles>;
  volumes: Volumes;
  data: typeof data;
  clock: VirtualClock;
  readonly setUp: (...list: Volume[]) => ReturnType<Volumes['setUp']>;
} {
  const files = createMemoryFiles();
  const clock = new VirtualClock();
  let at = 0;
  const objects = { configMap: async () => ({ metadata: {}, data }) } as unknown as ObjectReader;
  const allocatable = { milliCpu: 1, memoryBytes: 1, ephemeralStorageBytes: 1 };
  const volumes = new Volumes({
    images: { puller: { ensure: () => Promise.reject(new Error('none')) }, mounts: undefined },
    csi: undefined,
    rootDirectory: '/k',
    files,
    objects,
    allocatable,
    clock: { now: () => (at += 1_000), monotonic: () => clock.monotonic() },
  });
  const setUp = (...list: Volume[]): ReturnType<Volumes['setUp']> =>
    volumes.setUp(testPod({ spec: { volumes: list } }), call);
  return { files, volumes, data, clock, setUp };
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
    clock: new VirtualClock(),
  });
  const made = await volumes.setUp(testPod({ spec: { volumes: [{ name: 'v', secret: { secretName: 's' } }] } }), call);
  assert.equal(made.volumes.get('v')?.hostPath, `${BASE}/kubernetes.io~secret/v`);
});

test('what no container uses is not made: neither mounted, nor read of, nor a device', async () => {
  const { volumes, files } = bench();
  const spec = {
    volumes: ['mounted', 'device', 'read', 'nobodys', 'debugged'].map((name) => ({ name, emptyDir: {} })),
    ephemeralContainers: [{ name: 'd', image: 'busybox', volumeMounts: [{ name: 'debugged', mountPath: '/d' }] }],
  };
  const fileKeyRef = { volumeName: 'read', path: 'p', key: 'k' };
  const container = {
    volumeMounts: [{ name: 'mounted', mountPath: '/m' }],
    volumeDevices: [{ name: 'device', devicePath: '/dev/x' }],
    env: [{ name: 'E', valueFrom: { fileKeyRef } }],
  };
  const made = await volumes.setUp(testPod({ spec, container }), call);
  assert.deepEqual([...made.volumes.keys()], ['mounted', 'device', 'read', 'debugged']);
  assert.equal(await files.kind(`${BASE}/kubernetes.io~empty-dir/nobodys`), 'absent');
});

test('a volume that failed waits for its time while others are set up, unless something is new', async () => {
  const { volumes, files, clock } = bench();
  const pod = testPod({
    spec: {
      volumes: [
        { name: 'h', hostPath: { path: '/late', type: 'File' } },
        { name: 'v', emptyDir: {} },
      ],
    },
  });
  const told = async (isNew = false): Promise<unknown> => {
    try {
      return [...(await volumes.setUp(pod, { ...call, isNew })).volumes.keys()];
    } catch (error) {
      assert.ok(error instanceof VolumesError);
      return [error.told.length, error.retryMs];
    }
  };
  assert.deepEqual(await told(), [1, 500]);
  assert.equal(await files.kind(`${BASE}/kubernetes.io~empty-dir/v`), 'directory');
  assert.deepEqual(await told(), [0, 500]);
  await clock.advance(500);
  assert.deepEqual(await told(), [1, 1_000]);
  assert.deepEqual(await told(true), [0, 1_000], 'the same again is no news');
  await files.writeFile('/late', new Uint8Array());
  assert.deepEqual(await told(), [0, 1_000], 'nobody has looked');
  assert.deepEqual(await told(true), ['h', 'v']);
  await files.remove('/late');
  assert.deepEqual(await told(), [1, 500], 'it begins anew');
});
