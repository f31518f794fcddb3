import { formatTime } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import type { Runtime } from '@binnacle/runtime';
import type { KubeletConfig } from '../config.ts';
import { allContainers } from '../container/pod-containers.ts';
import { CheckpointError, StreamRefusal } from '../errors.ts';
import type { HostFiles } from '../ports.ts';
import { type StreamPlace, runningContainer } from './stream-target.ts';
import type { PodWorker } from './worker.ts';

/** What checkpoints are made with, and where. */
export interface Checkpoints {
  readonly config: KubeletConfig;
  readonly runtime: Pick<Runtime, 'checkpoint'>;
  readonly files?: HostFiles | undefined;
  readonly clock: Clock;
}

/**
 * Has the runtime write a running container down, to a file named as upstream names it below the kubelet's folder. Only the
 * node's administrators come there: all that the container has in memory is in it. Answers with the path.
 */
export async function writeCheckpoint(
  { config, runtime, files, clock }: Checkpoints,
  worker: PodWorker | undefined,
  of: StreamPlace & { readonly container: string; readonly seconds: number },
): Promise<string> {
  if (worker === undefined) throw new StreamRefusal(404, 'pod does not exist');
  if (!allContainers(worker.pod).some(({ name }) => name === of.container))
    throw new StreamRefusal(404, `container ${of.container} does not exist`);
  const id = runningContainer(worker, of);
  if (of.seconds < 0) throw new CheckpointError('CheckpointContainer requires the timeout value to be > 0');
  if (runtime.checkpoint === undefined || files === undefined)
    throw new CheckpointError('this container runtime makes no checkpoints');
  const folder = `${config.rootDirectory}/checkpoints`;
  await files.makeDirectory(folder, 0o700);
  const location = `${folder}/checkpoint-${of.pod}_${of.namespace}-${of.container}-${formatTime(clock.now())}.tar`;
  await runtime.checkpoint(id, { location, seconds: of.seconds });
  return location;
}
