import { formatTime } from '@binnacle/base';
import { PODS } from '@binnacle/api';
import type { TestWorld } from './test-world.ts';

/** One thing that can come in numbers. */
export interface Scenario {
  readonly which: readonly string[];
  /** How many objects there are at 1×. */
  readonly size: number;
  prepare?(world: TestWorld, count: number): Promise<void>;
  run(world: TestWorld, count: number): Promise<void>;
}

/** Of pods that run on. */
export const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };
/** Of pods that end. */
export const once = { ...template, spec: { ...template.spec, restartPolicy: 'Never' as const } };
/** From 0 on. */
export const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

/** A pod of the namespace `default` that is ready on the node `n1`. */
export function seedReadyPod(world: TestWorld, number: number, app: string): void {
  world.api.seed(PODS, {
    metadata: { name: `p${number}`, namespace: 'default', labels: { app } },
    spec: { containers: [{ name: 'c', image: 'x' }], nodeName: 'n1' },
    status: {
      phase: 'Running',
      podIPs: [{ ip: `10.${number >> 8}.${number & 255}.1` }],
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: formatTime(world.clock.now()) }],
    },
  });
}
