import { silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { dockerEndpoint } from '@binnacle/cluster/node/docker-node';
import type { ImageStatus, RegistryAuth } from '@binnacle/runtime';
import { CommandFailedError } from '../errors.ts';
import { findDataDir, workerSocket } from './data-dir.ts';
import { readRunning } from './run-file.ts';

/** The images of one node. */
export interface NodeImages {
  list(): Promise<readonly ImageStatus[]>;
  /** Undefined: it is not there. */
  status(image: string): Promise<ImageStatus | undefined>;
  pull(image: string, auth: RegistryAuth | undefined): Promise<unknown>;
  remove(image: string): Promise<void>;
  /** An archive. */
  load(file: string): Promise<void>;
  close(): Promise<void>;
}

/** A node of a running cluster whose containers run. */
export interface ImagePlace {
  /** Empty: the cluster has one. */
  readonly node: string;
  readonly endpoint: string;
}

/** Where the nodes of a cluster keep their images. Throws CommandFailedError where none runs, or its nodes are simulated. */
export function imagePlaces(dataDirectory: string): readonly ImagePlace[] {
  const dataDir = findDataDir(dataDirectory);
  const running = dataDir && readRunning(dataDir);
  if (dataDir === undefined || running === undefined)
    throw new CommandFailedError('no cluster runs here; start one with: binnacle up');
  if (running.server === '') throw new CommandFailedError('the cluster is still starting; try again when it is ready');
  if (running.runtimeEndpoint === undefined) {
    throw new CommandFailedError('the nodes of this cluster are simulated: they have every image');
  }
  const workers = running.workers ?? [];
  const further = workers.map((node) => ({ node, endpoint: `unix://${workerSocket(dataDir, node)}` }));
  return [{ node: workers.length === 0 ? '' : 'this', endpoint: running.runtimeEndpoint }, ...further];
}

/** Connects to a node's images; its owner closes it. */
export async function openImages({ endpoint }: ImagePlace): Promise<NodeImages> {
  const docker = dockerEndpoint(endpoint);
  if (docker !== undefined) {
    const { openDockerImages } = await import('@binnacle/runtime/docker');
    return openDockerImages(docker);
  }
  const { connectCriRuntime, importImage } = await import('@binnacle/runtime/cri');
  const runtime = await connectCriRuntime({ endpoint, clock: realClock, log: silentLogger });
  return {
    list: () => runtime.listImages(),
    status: (image) => runtime.imageStatus(image),
    pull: (image, auth) => runtime.pullImage(image, undefined, auth),
    remove: (image) => runtime.removeImage(image),
    load: (file) => importImage(endpoint, file),
    close: () => runtime.close(),
  };
}
