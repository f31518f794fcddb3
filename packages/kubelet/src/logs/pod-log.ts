import type { Clock } from '@binnacle/base';
import type { KubeletConfig } from '../config.ts';
import { LogError } from '../errors.ts';
import { logFile } from '../pod/mounts.ts';
import type { PodWorker } from '../pod/worker.ts';
import type { LogFiles } from '../ports.ts';
import { chooseLog } from './choose.ts';
import type { LogOptions } from './options.ts';
import { readLog } from './read.ts';
import type { OpenLog } from './rotation.ts';

/** Which log, and what of it. */
export interface LogRequest {
  readonly namespace: string;
  readonly pod: string;
  /** May be absent where the pod has one container. */
  readonly container?: string;
  readonly options: LogOptions;
  readonly signal?: AbortSignal;
}

export interface LogPlace {
  readonly files: LogFiles | undefined;
  readonly clock: Clock;
  readonly config: KubeletConfig;
}

/** A container's log as it wrote it. Throws LogError before the first byte where there is nothing to read. */
export function readPodLog(
  place: LogPlace,
  worker: PodWorker | undefined,
  request: LogRequest,
): AsyncIterable<Uint8Array> {
  if (worker === undefined) {
    throw new LogError(404, `pod "${request.pod}" does not exist in namespace "${request.namespace}" on this node`);
  }
  if (place.files === undefined) throw new LogError(501, 'this node keeps no logs');
  const chosen = chooseLog(worker, request.container, request.options.previous);
  const found = worker.view.container(chosen.id);
  if (found === undefined) throw new LogError(400, `unable to retrieve container logs for ${chosen.id}`);
  return readLog({
    files: place.files,
    clock: place.clock,
    path: logFile(place.config, worker.pod, found),
    options: request.options,
    running: () => worker.view.container(chosen.id)?.state === 'running',
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  });
}

/** The logs that running containers write to. */
export function openLogs(workers: readonly PodWorker[], config: KubeletConfig): OpenLog[] {
  return workers.flatMap((worker) =>
    worker.view.containers
      .filter((c) => c.state === 'running')
      .map((c) => ({
        containerId: c.id,
        path: logFile(config, worker.pod, c),
      })),
  );
}
