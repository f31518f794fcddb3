import { makeFolder, runBinnacle } from './folder.ts';
import { startOneProcess } from './one-process.ts';
import type { OneProcessCluster } from './one-process.ts';
import { TestkitError } from './errors.ts';

/** Why a test that needs a Docker Engine is skipped on this machine; `false` where it runs, and in CI. */
export async function skipWithoutDocker(): Promise<string | false> {
  const { missingDocker } = await import('@binnacle/runtime/docker-testing');
  const missing = await missingDocker();
  return missing === undefined || process.env['CI'] === 'true' ? false : missing;
}

/** A cluster on an engine of its own. */
export interface DockerCluster extends OneProcessCluster {
  /** Where the engine listens: `unix://…`. */
  readonly endpoint: string;
}

/**
 * Starts a Docker Engine and a cluster on it, with the example's image. `stop` throws TestkitError when something is
 * left on the engine, or of it on the machine.
 */
export async function startDockerCluster(): Promise<DockerCluster> {
  const { createDockerTestbed } = await import('@binnacle/runtime/docker-testing');
  const engine = await createDockerTestbed();
  const { endpoint } = engine;
  const folder = makeFolder();
  const image = `${folder.path}/example.tar`;
  try {
    await runBinnacle(['image', 'build-example', image]);
    const flags = ['--container-runtime-endpoint', endpoint, '--image', image];
    const cluster = await startOneProcess({ runtime: 'docker' }, flags);
    const stop = async (): Promise<void> => {
      await cluster.stop();
      const pods = await engine.containers();
      const left = [...pods.map((name) => `container ${name}`), ...(await engine.close())];
      folder.remove();
      if (left.length > 0) throw new TestkitError(`left behind: ${left.join('; ')}`);
    };
    return { ...cluster, endpoint, stop };
  } catch (error) {
    folder.remove();
    await engine.close();
    throw error;
  }
}
