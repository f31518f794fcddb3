import type { ResourceInfo } from '@binnacle/api';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import type { MemoryApi } from '@binnacle/apiserver/testing';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { countTimers } from '@binnacle/base/testing';
import type { Wire } from '@binnacle/machinery';
import { createClient, createFencedWire, runLeaderElection } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { createFaultyNetwork } from '@binnacle/client/testing';
import type { FaultyNetwork } from '@binnacle/client/testing';
import type { StartOptions } from './controller-kit.ts';
import { startControllers } from './start-controllers.ts';
import type { RunningControllers } from './start-controllers.ts';

export interface TestWorld {
  readonly clock: VirtualClock;
  /** The API server, and a hand in its store. */
  readonly api: MemoryApi;
  /** What lies between it and everybody else. */
  readonly network: FaultyNetwork;
  readonly client: Client;
  /** Beside that: sees everything at once. */
  readonly observer: Client;
  /** A process with these controllers, which can be killed. */
  start(which: readonly string[]): TestProcess;
  /** A process whose controllers run while it leads: some 1.5 s after one before it has died. */
  elect(which: readonly string[]): Pick<TestProcess, 'kill'>;
  /** Lets time pass in small steps, so that long chains of promises settle. */
  run(ms: number): Promise<void>;
}

export interface TestProcess {
  readonly controllers: RunningControllers;
  /** How many timers of its own are set. */
  readonly pending: number;
  /** As kill -9 does: in-flight requests are on their own. */
  kill(): Promise<void>;
}

/** How a test world differs from a plain one. */
export interface TestWorldOptions {
  readonly log?: Logger;
  /** Stands between a process and the API. */
  readonly between?: (wire: Wire) => Wire;
  /** What the API serves beside what it always does. */
  readonly onRequest?: readonly ResourceInfo[];
  /** What controllers are told beside their kit. */
  readonly start?: Partial<StartOptions>;
}

/** Short, so that what a dead leader sent is still under way when the next one leads. */
const ELECTION = { namespace: 'kube-system', name: 'manager', leaseMs: 1000, renewDeadlineMs: 800, retryMs: 400 };

/** An API server in memory, a virtual clock, and processes to start and kill. */
export function createTestWorld(seed = 1, options: TestWorldOptions = {}): TestWorld {
  const { log = silentLogger, between = (wire: Wire) => wire } = options;
  const clock = new VirtualClock();
  const random = createSeededRandom(seed);
  const api = createMemoryApi({ clock, random, onRequest: options.onRequest ?? [] });
  const network = createFaultyNetwork(clock);
  const run = async (ms: number): Promise<void> => {
    for (let i = 0; i < 20; i++) await clock.advance(ms / 20);
  };
  const killed = async (connection: { kill(): void }, scope: Scope): Promise<void> => {
    connection.kill();
    const closed = scope.close();
    await run(0);
    await closed;
  };
  return {
    clock,
    api,
    network,
    client: createClient(network.connect(api.connect())),
    observer: createClient(api.connect()),
    run,
    elect(which) {
      const connection = network.connect(api.connect());
      const scope = new Scope('process');
      const world = { clock, random, log };
      const election = { ...ELECTION, client: createClient(connection), world, identity: random.uuid() };
      runLeaderElection(election, scope, (within, term) => {
        const client = createClient(createFencedWire(between(connection), term));
        startControllers({ clientAs: () => client, world, scope: within, rootCA: 'CA', which, ...options.start });
      });
      return { kill: () => killed(connection, scope) };
    },
    start(which) {
      const connection = network.connect(api.connect());
      const scope = new Scope('process');
      const client = createClient(between(connection));
      const timers = countTimers(clock);
      const world = { clock: timers, random, log };
      const controllers = startControllers({
        clientAs: () => client,
        world,
        scope,
        rootCA: 'CA',
        which,
        ...options.start,
      });
      return {
        controllers,
        kill: () => killed(connection, scope),
        get pending() {
          return timers.pending;
        },
      };
    },
  };
}
