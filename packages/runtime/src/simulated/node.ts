import type { Clock, Random } from '@binnacle/base';
import type { Runtime, RuntimeCondition } from '../ports.ts';
import { AddressPool } from './address-pool.ts';
import { ImageShelf } from './image-shelf.ts';
import { SimulatedLogs } from './logs.ts';
import { SimulatedMachine } from './machine.ts';
import { SimulatedRuntime } from './runtime.ts';

const DEFAULT_POD_RANGE = '10.88.0.0/16';

/** What a simulated node needs. */
export interface SimulatedOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** IPv4 range of the node's pods; default 10.88.0.0/16. */
  readonly podRange?: string;
  /** Takes CRI-format log lines of containers whose script writes some. */
  readonly appendLog?: (path: string, text: string) => void;
}

/** A machine that outlives the runtimes connected to it: what a kubelet finds again after its restart. */
export interface SimulatedNode {
  connect(): Runtime;
  /** What its containers wrote, by the paths of their logs. */
  readonly logs: SimulatedLogs;
  /** Ends a running container from outside, as a crash or `kill` would. Throws RuntimeNotFoundError. */
  endContainer(id: string, exitCode: number, reason?: string): void;
  setCondition(which: 'runtime' | 'network', condition: RuntimeCondition): void;
  /** Everything on it is gone; no timer is left. */
  powerOff(): void;
}

/**
 * A simulated node. Pods are steered by annotations under `simulated.binnacle.dev/` (and, for one container,
 * `<container>.simulated.binnacle.dev/`): the README lists them. Holds no timers while nothing is scripted.
 */
export function createSimulatedNode(options: SimulatedOptions): SimulatedNode {
  const machine = new SimulatedMachine({
    clock: options.clock,
    random: options.random,
    addresses: new AddressPool(options.podRange ?? DEFAULT_POD_RANGE),
    images: new ImageShelf(),
    appendLog: options.appendLog,
  });
  return {
    connect: () => new SimulatedRuntime(machine),
    logs: new SimulatedLogs(machine),
    endContainer(id, exitCode, reason) {
      machine.finish(machine.container(id), exitCode, reason ?? (exitCode === 0 ? 'Completed' : 'Error'));
    },
    setCondition(which, condition) {
      if (which === 'runtime') machine.runtimeCondition = condition;
      else machine.networkCondition = condition;
    },
    powerOff: () => machine.powerOff(),
  };
}

/** A runtime whose containers' logs can be read without a disk. */
export interface LoggedRuntime extends Runtime {
  readonly logs: SimulatedLogs;
}

/** A runtime with a simulated node of its own; closing it ends both. See `createSimulatedNode` for adoption tests. */
export function createSimulatedRuntime(options: SimulatedOptions): LoggedRuntime {
  const node = createSimulatedNode(options);
  const runtime = node.connect();
  const close = runtime.close.bind(runtime);
  return Object.assign(runtime, {
    logs: node.logs,
    close: async (): Promise<void> => {
      await close();
      node.powerOff();
    },
  });
}
