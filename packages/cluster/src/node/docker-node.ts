import type { Clock, Logger } from '@binnacle/base';
import { type NodeRuntime, ownershipLabel, removeAllPods } from './containerd-node.ts';

/** What tells one cluster's pods on a Docker Engine from another's; the same at `up` and `down`. */
export interface DockerNodeOptions {
  /** `unix:///var/run/docker.sock`. */
  readonly endpoint: string;
  /** A folder of ours: pods' addresses and namespaces. */
  readonly stateDir: string;
  /** One range of each family that pods have addresses of. */
  readonly podCidrs: readonly string[];
  /** The pods' bridge. */
  readonly bridge: string;
  /** Tells clusters on one engine apart: the data directory. */
  readonly owner: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Where an engine listens that says nothing else. */
export const DOCKER_ENDPOINT = 'unix:///var/run/docker.sock';

const SCHEME = 'docker+';

/** The endpoint of an engine, as a running cluster notes it beside those of CRI runtimes; undefined for theirs. */
export function dockerEndpoint(noted: string): string | undefined {
  return noted.startsWith(SCHEME) ? noted.slice(SCHEME.length) : undefined;
}

/** Opens an engine that somebody else runs, and loads images into it. */
export async function openDockerNode(options: DockerNodeOptions, images: readonly string[]): Promise<NodeRuntime> {
  const { openDocker } = await import('@binnacle/runtime/docker');
  const engine = await openDocker(engineOptions(options));
  const runtime = engine.connect();
  const close = runtime.close.bind(runtime);
  runtime.close = async () => {
    await close();
    await engine.close();
  };
  try {
    for (const image of images) await engine.loadImages(image);
  } catch (error) {
    await runtime.close();
    throw error;
  }
  return { runtime, endpoint: `${SCHEME}${options.endpoint}` };
}

/** Removes our pods from an engine, and their network; the engine and everybody else's containers stay. */
export async function removeDockerNode(options: DockerNodeOptions): Promise<void> {
  const { removePodNetwork } = await import('@binnacle/runtime/docker');
  const { removeServiceNetwork } = await import('./service-network.ts');
  const { runtime } = await openDockerNode(options, []);
  await removeAllPods(runtime);
  const { log, bridge, stateDir } = options;
  await removeServiceNetwork(bridge, log).catch((error: unknown) => log.error(error, 'the rules of Services are left'));
  await removePodNetwork(stateDir, engineOptions(options).network, log);
}

function engineOptions({ podCidrs, bridge, owner, ...rest }: DockerNodeOptions) {
  return { ...rest, network: { subnets: podCidrs, bridge }, ownershipLabel: ownershipLabel(owner) };
}
