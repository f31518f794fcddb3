/** Pods of a node below a control group that somebody made for them: `cgroupRoot` of KubeletConfiguration. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { isPodReady, PODS } from '@binnacle/api';
import { podCgroups, runBinnacle, skipWithoutContainerd, startContainerdCluster, waitFor } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

const GROUPS = '/sys/fs/cgroup';

const skip = await skipWithoutContainerd();

describe('a group of one’s own for all pods (cgroupRoot)', { skip }, () => {
  const folder = makeTestFolder().path;
  const root = `/${folder.slice(folder.lastIndexOf('/') + 1)}`;
  const config = join(folder, 'kubelet.yaml');
  const hierarchies = skip === false ? readdirSync(GROUPS).map((name) => `${GROUPS}/${name}`) : [];
  const below = (path: string): string[] =>
    hierarchies.map((one) => `${one}${root}${path}`).filter((one) => existsSync(one));

  before(async () => {
    await writeFile(
      config,
      `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncgroupRoot: ${root}\n`,
    );
  });
  after(async () => {
    for (const group of below('')) await rmdir(group);
    await rm(folder, { recursive: true });
  });

  test('has to be there', async () => {
    const started = runBinnacle([
      ...['kubelet', '--runtime', 'containerd', '--data-dir', join(folder, 'data'), '--config', config],
    ]);
    const name = root.slice(1);
    await assert.rejects(started, ({ message }: Error) => {
      return message.includes(`invalid configuration: cgroup ["${name}"] has some missing paths: ${GROUPS}/`);
    });
    assert.deepEqual(below(''), [], 'and is not made');
  });

  test('has all of them below it, and nothing once the node is gone', async () => {
    for (const one of hierarchies) await mkdir(`${one}${root}`);
    const cluster = await startContainerdCluster(['--config', config]);
    try {
      const { client } = cluster;
      const limits = { cpu: '100m', memory: '64Mi' };
      const containers = [{ name: 'c', image: IMAGE, resources: { limits } }];
      const created = await client.resource(PODS, 'default').create({ metadata: { name: 'a' }, spec: { containers } });
      const uid = created.metadata.uid ?? '';
      await waitFor({
        client,
        resource: PODS,
        namespace: 'default',
        name: 'a',
        what: 'it runs',
        until: (all) => all[0] !== undefined && isPodReady(all[0]),
      });
      const groups = below(`/kubepods/pod${uid}`);
      assert.ok(['cpu', 'memory'].every((name) => groups.includes(`${GROUPS}/${name}${root}/kubepods/pod${uid}`)));
      const limit = await readFile(`${GROUPS}/memory${root}/kubepods/pod${uid}/memory.limit_in_bytes`, 'utf8');
      assert.equal(Number(limit), 64 << 20);
      assert.deepEqual(podCgroups([uid]), [], 'and none of them elsewhere');
    } finally {
      await cluster.stop();
    }
    assert.deepEqual(below('/kubepods'), []);
  });
});
