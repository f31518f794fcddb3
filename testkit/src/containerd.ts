import { dirname } from 'node:path';
import { missingForContainerd } from '@binnacle/cluster/node/containerd-node';
import { hasLink, podLinks, remainsOf } from './container.ts';
import type { ClusterWish } from './cluster.ts';
import { TestkitError } from './errors.ts';
import { startOneProcess } from './one-process.ts';
import type { OneProcessCluster } from './one-process.ts';
import { exampleImages } from './example-images.ts';
import { makeFolder } from './folder.ts';

/**
 * Why a test that needs real containers is skipped on this machine; `false` where it runs. In CI nothing is skipped:
 * there it fails and says what is missing.
 */
export async function skipWithoutContainerd(): Promise<string | false> {
  if (process.env['CI'] === 'true') return false;
  const missing = await missingForContainerd();
  return missing.length === 0 ? false : `containers cannot run here: missing ${missing.join(', ')}`;
}

/**
 * Starts a cluster with real containers, the example's image and ECHO_IMAGE in it. `stop` throws TestkitError when it
 * leaves something of its own behind.
 */
export async function startContainerdCluster(
  flags: readonly string[] = [],
  wish: Pick<ClusterWish, 'hasBothFamilies' | 'prepare'> = {},
): Promise<OneProcessCluster> {
  const folder = makeFolder();
  try {
    const images = await exampleImages(folder.path);
    const cluster = await startOneProcess({ ...wish, runtime: 'containerd' }, ['--image', ...images, ...flags]);
    let stopped: Promise<void> | undefined;
    // The image is asked for again at every restart.
    const stop = (): Promise<void> => (stopped ??= stopWholly(cluster).finally(() => folder.remove()));
    return { ...cluster, stop };
  } catch (error) {
    folder.remove();
    throw error;
  }
}

/** What a cluster leaves behind breaks the runs after it, far from its cause: it is told where it is made. */
async function stopWholly(cluster: OneProcessCluster): Promise<void> {
  let links: readonly string[] = [];
  try {
    links = podLinks(cluster.dataDir);
  } finally {
    await cluster.stop();
  }
  const left = [...remainsOf(dirname(cluster.dataDir)), ...links.filter(hasLink).map((link) => `link ${link}`)];
  if (left.length > 0) throw new TestkitError(`the cluster left behind: ${left.join('; ')}`);
}
