import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readKubeletConfig } from './kubelet-config.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

const rows: readonly [string, object | undefined | RegExp][] = [
  ['staticPodURL: http://a.example/x', { url: 'http://a.example/x', headers: {}, periodMs: 20_000 }],
  [
    'staticPodURL: https://a.example\nstaticPodURLHeader: {X-Key: [a, b]}\nhttpCheckFrequency: 5s',
    { url: 'https://a.example', headers: { 'X-Key': ['a', 'b'] }, periodMs: 5_000 },
  ],
  [
    'staticPodURL: http://a.example\nhttpCheckFrequency: 0s',
    { url: 'http://a.example', headers: {}, periodMs: 20_000 },
  ],
  [
    'staticPodURL: http://a.example\nhttpCheckFrequency: 1ms',
    { url: 'http://a.example', headers: {}, periodMs: 1_000 },
  ],
  ["staticPodURL: ''\nstaticPodURLHeader: {}", undefined],
  ['staticPodURL: file:///etc/pods', /staticPodURL: it is no address that begins with/],
  ['staticPodURL: 5', /staticPodURL: 5 is no text/],
  ['staticPodURLHeader: {"X Y": [a]}', /staticPodURLHeader: "X Y" is no name of a header/],
  ['staticPodURLHeader: {X: ["a\\nb"]}', /staticPodURLHeader: the value of X is not what a header can say$/],
  ['staticPodURLHeader: {X: a}', /staticPodURLHeader: "a" is no list/],
  ['httpCheckFrequency: often', /httpCheckFrequency: time: invalid duration "often"/],
];

for (const [lines, wanted] of rows)
  test(`a server of static pods: ${lines.replaceAll('\n', ', ')}`, async () => {
    const folder = await mkdtemp('/tmp/manifest-address-');
    try {
      const path = join(folder, 'config.yaml');
      await writeFile(path, `${HEAD}${lines}\n`);
      if (wanted instanceof RegExp) await assert.rejects(readKubeletConfig(path), { message: wanted });
      else assert.deepEqual((await readKubeletConfig(path)).staticPodURL, wanted);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
