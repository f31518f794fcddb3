import { messageOf } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import type { Runtime } from '@binnacle/runtime';
import type { HeldFile, HostFiles } from '../ports.ts';

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

/** So many files are held at the most; of further ones the size is asked for by their paths, which costs ten times as much. */
const HELD_MAX = 2_000;
/** After so many looks all are let go of, once: somebody else may have put another file under a name. */
const LOOKS_HELD = 30;

/**
 * Renames the logs that have grown too large, has the runtime open new ones, and removes the oldest. A log is held between
 * looks: the way to it is gone once, not at each look.
 */
export class LogRotation {
  readonly #options: RotationOptions;
  readonly #held = new Map<string, HeldFile>();
  #looks = 0;
  #looking = false;
  #closed = false;

  constructor(options: RotationOptions) {
    this.#options = options;
  }

  /** One look; while one goes on no other is begun. Never rejects: what cannot be rotated is told, log by log. */
  async look(logs: readonly OpenLog[]): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      await this.#letGo(++this.#looks % LOOKS_HELD === 0 ? new Set() : new Set(logs.map(({ path }) => path)));
      for (const log of logs) await this.#lookAt(log);
    } finally {
      this.#looking = false;
    }
  }

  /** Lets go of all logs, for good. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#letGo(new Set());
  }

  async #lookAt(log: OpenLog): Promise<void> {
    try {
      const size = await this.#sizeOf(log.path);
      // A kubelet that was killed between the renaming and the opening: the runtime still writes to the renamed file, which
      // nobody reads nor ever looks at the size of.
      if (size === -1) return await this.#options.runtime.reopenLog(log.containerId);
      if (size < this.#options.maxBytes) return;
      await this.#drop(log.path);
      await rotate(this.#options, log);
    } catch (error) {
      this.#options.log.warn('Failed to rotate a log', { path: log.path, reason: messageOf(error) });
    }
  }

  async #sizeOf(path: string): Promise<number> {
    const { files } = this.#options;
    const held = this.#held.get(path);
    if (held !== undefined) return held.size();
    if (this.#held.size >= HELD_MAX || this.#closed) return files.size(path);
    const fresh = await files.hold(path);
    if (fresh === undefined) return -1;
    this.#held.set(path, fresh);
    const size = await fresh.size();
    // The kubelet may have ended meanwhile.
    if (this.#closed) await this.#drop(path);
    return size;
  }

  async #letGo(but: ReadonlySet<string>): Promise<void> {
    for (const path of [...this.#held.keys()]) if (!but.has(path)) await this.#drop(path);
  }

  async #drop(path: string): Promise<void> {
    const held = this.#held.get(path);
    this.#held.delete(path);
    try {
      await held?.close();
    } catch (error) {
      this.#options.log.warn('Failed to let go of a log', { path, reason: messageOf(error) });
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
