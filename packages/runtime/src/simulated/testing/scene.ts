import { VirtualClock, createSeededRandom } from '@binnacle/base';
import type { Runtime } from '../../ports.ts';
import { plainContainer, plainSandbox } from '../../testing/harness.ts';
import { type SimulatedNode, createSimulatedNode } from '../node.ts';

export const PLACES = {
  logDirectory: (uid: string): string => `/logs/${uid}`,
  cgroupParent: (uid: string): string => `/kubepods/pod${uid}`,
};

export function setUp(): { clock: VirtualClock; node: SimulatedNode; runtime: Runtime } {
  const clock = new VirtualClock();
  const node = createSimulatedNode({ clock, random: createSeededRandom(1) });
  return { clock, node, runtime: node.connect() };
}

/** A pod with one container, created and not started. */
export async function createPod(
  runtime: Runtime,
  annotations: { [key: string]: string },
  attempt = 0,
): Promise<string> {
  const sandbox = plainSandbox(PLACES, 'u1', { annotations, attempt });
  const id = await runtime.runSandbox(sandbox);
  return await runtime.createContainer(id, { ...plainContainer('web:1', []), attempt }, sandbox);
}
