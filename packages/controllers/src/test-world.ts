import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { Wire } from '@binnacle/machinery';
import { createClient } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { createFakeWire } from '@binnacle/client/testing';
import type { FakeWire } from '@binnacle/client/testing';
import { RESOURCES } from '@binnacle/api';
import type { StartOptions } from './controller-kit.ts';
import { startControllers } from './start-controllers.ts';
import type { RunningControllers } from './start-controllers.ts';

export interface TestWorld {
  readonly clock: VirtualClock;
  readonly wire: FakeWire;
  readonly client: Client;
  /** A process with these controllers, which can be killed. */
  start(which: readonly string[]): TestProcess;
  /** Lets time pass in small steps, so that long chains of promises settle. */
  run(ms: number): Promise<void>;
}

export interface TestProcess {
  readonly controllers: RunningControllers;
  /** As kill -9 does: in-flight requests are on their own. */
  kill(): Promise<void>;
}

/** How a test world differs from a plain one. */
export interface TestWorldOptions {
  readonly log?: Logger;
  /** Stands between a process and the API. */
  readonly between?: (wire: Wire) => Wire;
  /** What controllers are told beside their kit. */
  readonly start?: Partial<StartOptions>;
}

/** A fake API, a virtual clock, and processes to start and kill. */
export function createTestWorld(seed = 1, options: TestWorldOptions = {}): TestWorld {
  const { log = silentLogger, between = (wire: Wire) => wire } = options;
  const clock = new VirtualClock();
  const random = createSeededRandom(seed);
  const resources = RESOURCES.filter((one) => !one.virtual);
  const wire = createFakeWire({ clock, random, resources });
  const run = async (ms: number): Promise<void> => {
    for (let i = 0; i < 20; i++) await clock.advance(ms / 20);
  };
  return {
    clock,
    wire,
    client: createClient(wire),
    run,
    start(which) {
      const connection = wire.connect();
      const scope = new Scope('process');
      const client = createClient(between(connection));
      const world = { clock, random, log };
      const controllers = startControllers({
        clientAs: () => client,
        world,
        scope,
        rootCA: 'CA',
        which,
        ...options.start,
      });
      const kill = async (): Promise<void> => {
        connection.kill();
        const closed = scope.close();
        await run(0);
        await closed;
      };
      return { controllers, kill };
    },
  };
}
