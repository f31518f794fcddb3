import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { type RuntimeOverCri, connectCriRuntime } from '../../cri/connect.ts';
import { type Testbed, createTestbed } from './testbed.ts';

/** What the tests of a description, or of a file, share. */
export interface TestbedScene {
  readonly bed: Testbed;
  readonly runtime: RuntimeOverCri;
}

/** One testbed for all of them and a client of it, to be asked for in a test; behind the last nothing may be left. */
export function testbedScene(): () => TestbedScene {
  let scene: TestbedScene | undefined;
  const get = (): TestbedScene => {
    assert.ok(scene, 'the testbed is there in tests alone');
    return scene;
  };
  before(async () => {
    const bed = await createTestbed();
    const { clock, log } = bed.options;
    scene = { bed, runtime: await connectCriRuntime({ endpoint: bed.endpoint, clock, log }) };
  });
  after(async () => {
    const { bed, runtime } = get();
    await runtime.close();
    assert.deepEqual(await bed.close(), []);
  });
  return get;
}
