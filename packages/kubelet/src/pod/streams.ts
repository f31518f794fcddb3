import type { Runtime } from '@binnacle/runtime';
import { type Checkpoints, writeCheckpoint } from './checkpoint.ts';
import type { Pods } from './pods.ts';
import { type StreamPlace, readySandbox, runningContainer } from './stream-target.ts';

/** Streams of pods, found by name. Who finds none throws StreamRefusal. */
export interface KubeletStreams extends Pick<Runtime, 'exec' | 'runCommand' | 'attach' | 'portForward'> {
  /** The id of a running container. */
  container(place: StreamPlace & { readonly container: string }): string;
  /** The id of the pod's sandbox. */
  sandbox(place: StreamPlace): string;
  /**
   * Writes a running container down to a new file of the node, and answers with its path. `seconds`: 0 for the runtime's usual
   * time. Throws StreamRefusal (404) for what there is not, and what the runtime throws.
   */
  checkpoint(place: StreamPlace & { readonly container: string }, seconds: number): Promise<string>;
}

/** Those of one node's pods. */
export function streamsOf(
  of: Omit<Checkpoints, 'runtime'> & { readonly runtime: Runtime },
  pods: Pods,
): KubeletStreams {
  const { runtime } = of;
  const find = (place: StreamPlace): ReturnType<Pods['find']> => pods.find(place.namespace, place.pod);
  return {
    container: (place) => runningContainer(find(place), place),
    sandbox: (place) => readySandbox(find(place), place),
    exec: (id, command, timeoutMs) => runtime.exec(id, command, timeoutMs),
    runCommand: (id, command, io) => runtime.runCommand(id, command, io),
    attach: (id, io) => runtime.attach(id, io),
    checkpoint: (place, seconds) => writeCheckpoint(of, find(place), { ...place, seconds }),
    portForward: (id, port) => runtime.portForward(id, port),
  };
}
