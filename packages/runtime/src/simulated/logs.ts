import { criLines } from './machine.ts';
import type { ContainerRecord, SimulatedMachine } from './machine.ts';

const ENCODER = new TextEncoder();

/**
 * The logs of a simulated node, in CRI's format, by path. Nothing is stored: a script's log is written once, when the
 * container starts, so it is made again whenever somebody reads it, and it is gone with its container.
 */
export class SimulatedLogs {
  readonly #machine: SimulatedMachine;

  constructor(machine: SimulatedMachine) {
    this.#machine = machine;
  }

  /** Up to `length` bytes from `offset`; undefined when there is no such container. */
  async readRange(path: string, offset: number, length: number): Promise<Uint8Array | undefined> {
    return this.#bytes(path)?.subarray(offset, offset + length);
  }

  /** Bytes, or -1 when there is no such container. */
  async size(path: string): Promise<number> {
    return this.#bytes(path)?.length ?? -1;
  }

  /** Calls when a container of the node starts, stops or goes. */
  watch(_path: string, changed: () => void): () => void {
    const sink = (): void => changed();
    this.#machine.sinks.add(sink);
    return () => {
      this.#machine.sinks.delete(sink);
    };
  }

  #bytes(path: string): Uint8Array | undefined {
    const record = this.#find(path);
    if (record === undefined) return undefined;
    const { status, script } = record;
    if (script.log === '' || status.startedAt === 0) return new Uint8Array(0);
    return ENCODER.encode(criLines(status.startedAt, script.log));
  }

  #find(path: string): ContainerRecord | undefined {
    for (const record of this.#machine.containers.values()) if (record.status.logPath === path) return record;
    return undefined;
  }
}
