import { after, afterEach, before, describe } from 'node:test';
import { adoptionTests } from './adoption.ts';
import { Bench } from './bench.ts';
import { containerTests } from './containers.ts';
import { eventTests } from './events.ts';
import type { RuntimeHarness } from './harness.ts';
import { imageTests } from './images.ts';
import { streamTests } from './streams.ts';
import { sandboxTests } from './sandboxes.ts';

/**
 * The suite that every driver of the runtime port passes. `factory` makes a node with the two images present;
 * the harness says how containers are made to behave there, so that nothing is skipped for any driver.
 */
export function runtimeContract(name: string, factory: () => Promise<RuntimeHarness>): void {
  describe(`runtime contract: ${name}`, () => {
    const bench = new Bench();
    let subscription: { stop(): void };
    before(async () => {
      const harness = await factory();
      bench.begin(harness, await harness.connect());
      subscription = bench.runtime.events({
        event: (event) => bench.events.event(event),
        lost: (error) => bench.events.lostEvents(error),
      });
    });
    afterEach(() => bench.clear());
    after(async () => {
      subscription.stop();
      await bench.runtime.close();
      await bench.harness.close();
    });
    sandboxTests(bench);
    containerTests(bench);
    eventTests(bench);
    imageTests(bench);
    adoptionTests(bench);
    streamTests(bench);
  });
}
