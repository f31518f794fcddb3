import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodSpec } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { hasLocalLimits, localStorageFault, usedIn } from './local-storage.ts';

const limited = (name: string, bytes: string) => ({
  name,
  image: 'i',
  resources: { limits: { 'ephemeral-storage': bytes } },
});

async function fault(
  spec: Partial<PodSpec>,
  of: { hasOwnLayers?: boolean; layer?: number; log?: number; volume?: number; hosts?: number; words?: number },
): Promise<string> {
  const files = createMemoryFiles();
  const write = (path: string, bytes = 0): Promise<void> => files.writeFile(path, new Uint8Array(bytes));
  await write('/logs/a/0.log', of.log);
  await write('/root/pods/uid-web/volumes/kubernetes.io~empty-dir/v/file', of.volume);
  await write('/root/pods/uid-web/etc-hosts', of.hosts);
  await write('/root/pods/uid-web/containers/a/0', of.words);
  const layers = new Map([['a', of.layer ?? 0]]);
  const { hasOwnLayers = false } = of;
  const places = { unit: 'bytes' as const, files, rootDirectory: '/root', logDirectory: '/logs', layers, hasOwnLayers };
  return (await localStorageFault(testPod({ spec }), places)) ?? '';
}

const volumes = [{ name: 'v', emptyDir: {} }];
const rows: readonly (readonly [string, Promise<string>, string])[] = [
  ['within', fault({ containers: [limited('a', '100')] }, { layer: 50, log: 50 }), ''],
  [
    'what it wrote and logged',
    fault({ containers: [limited('a', '100'), limited('b', '100')] }, { layer: 60, log: 50 }),
    'Container a exceeded its local ephemeral storage limit "100". ',
  ],
  [
    'volumes count for the pod',
    fault({ containers: [limited('a', '1Ki')], volumes }, { layer: 1000, volume: 100 }),
    'Pod ephemeral local storage usage exceeds the total limit of containers 1Ki. ',
  ],
  [
    'a volume of its own limit',
    fault({ volumes: [{ name: 'v', emptyDir: { sizeLimit: '10' } }] }, { volume: 11 }),
    'Usage of EmptyDir volume "v" exceeds the limit "10". ',
  ],
  ...(['hosts', 'words'] as const).map(
    (file) =>
      [
        `what it wrote into its ${file}`,
        fault({ containers: [limited('a', '1Ki')] }, { layer: 1000, [file]: 100 }),
        'Pod ephemeral local storage usage exceeds the total limit of containers 1Ki. ',
      ] as const,
  ),
  [
    'a layer on a disk of its own is no part of a container’s limit',
    fault({ containers: [limited('a', '100'), limited('b', '100')] }, { hasOwnLayers: true, layer: 150 }),
    '',
  ],
  [
    'it is of the pod’s',
    fault({ containers: [limited('a', '1Ki')] }, { hasOwnLayers: true, layer: 2000 }),
    'Pod ephemeral local storage usage exceeds the total limit of containers 1Ki. ',
  ],
  ['nothing is said', fault({ volumes }, { layer: 1e6, volume: 1e6 }), ''],
];
for (const [name, found, wanted] of rows)
  test(`local storage: ${name}`, async () => {
    // Memory files may count in blocks: what matters is on which side of the limit it is.
    assert.equal(await found, wanted);
  });

test('what a pod uses, by the parts that lie on one disk', () => {
  const one = (bytes: number): ReadonlyMap<string, number> => new Map([['a', bytes]]);
  const usage = { containers: one(3), logs: one(1), layers: one(2), volumes: 4 };
  assert.deepEqual(
    [usedIn(usage, ['logs', 'layers', 'volumes']), usedIn(usage, ['layers']), usedIn(usage, [])],
    [7, 2, 0],
  );
});

test('only pods that say something are looked at', () => {
  assert.equal(hasLocalLimits(testPod({ spec: { volumes } }), '/root'), false);
  assert.equal(hasLocalLimits(testPod({ spec: { containers: [limited('a', '1')] } }), '/root'), true);
});
