import { messageOf } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import type { Runtime } from '@binnacle/runtime';
import type { HostFiles } from '../ports.ts';

export interface RotationOptions {
  readonly runtime: Runtime;
  readonly files: HostFiles;
  readonly clock: Clock;
  readonly log: Logger;
  readonly maxBytes: number;
  /** The present file included. */
  readonly maxFiles: number;
}

export interface OpenLog {
  readonly containerId: string;
  readonly path: string;
}

/** Renames the logs that have grown too large, has the runtime open new ones, and removes the oldest. */
export async function rotateLogs(options: RotationOptions, logs: readonly OpenLog[]): Promise<void> {
  for (const log of logs) {
    try {
      if ((await options.files.size(log.path)) >= options.maxBytes) await rotate(options, log);
    } catch (error) {
      options.log.warn('Failed to rotate a log', { path: log.path, reason: messageOf(error) });
    }
  }
}

async function rotate(options: RotationOptions, log: OpenLog): Promise<void> {
  const { files, runtime, clock, maxFiles } = options;
  const stamp = new Date(clock.now()).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  const rotated = `${log.path}.${stamp}`;
  await files.rename(log.path, rotated);
  try {
    await runtime.reopenLog(log.containerId);
  } catch (error) {
    // The runtime still writes to the renamed file: its name is given back.
    await files.rename(rotated, log.path);
    throw error;
  }
  const cut = log.path.lastIndexOf('/');
  const [directory, name] = [log.path.slice(0, cut), log.path.slice(cut + 1)];
  const old = (await files.list(directory)).filter((n) => n.startsWith(`${name}.`)).toSorted();
  for (const extra of old.slice(0, Math.max(0, old.length - (maxFiles - 1))))
    await files.remove(`${directory}/${extra}`);
}
