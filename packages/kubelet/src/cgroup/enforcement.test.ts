import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Scope, VirtualClock, silentLogger } from '@binnacle/base';
import { PathError } from '../errors.ts';
import type { Machine } from '../ports.ts';
import { EventLog, pass } from '../testing/node.ts';
import { startEnforcement } from './enforcement.ts';

async function begun(of: {
  machine?: Pick<Machine, 'setCgroup'>;
  cgroupRoot?: string;
  enforce: () => Promise<void>;
}): Promise<{ clock: VirtualClock; lines: readonly string[]; scope: Scope }> {
  const clock = new VirtualClock();
  const scope = new Scope('test');
  const events = new EventLog();
  startEnforcement({
    groups: { enforce: of.enforce },
    machine: of.machine ?? { setCgroup: async () => undefined },
    config: { nodeName: 'n', cgroupRoot: of.cgroupRoot ?? '/kubepods' },
    ...{ events, clock, scope, log: silentLogger },
  });
  await pass(clock, 1);
  return { clock, lines: events.lines, scope };
}

const DONE = 'Normal NodeAllocatableEnforced Updated Node Allocatable limit across pods';

test('all pods are held together from the start, and that is told once', async () => {
  let times = 0;
  const { clock, lines, scope } = await begun({ enforce: async () => void times++ });
  await pass(clock, 600_000);
  assert.deepEqual([times, lines], [1, [DONE]]);
  await scope.close();
});

test('where pods have more already it is told, and tried each minute', async () => {
  let left = 2;
  const enforce = async (): Promise<void> => {
    if (left-- > 0) throw new PathError('/memory.max', 'cannot be set to 7: EBUSY');
  };
  const { clock, lines, scope } = await begun({ enforce, cgroupRoot: '/a/kubepods' });
  const failed =
    'Warning FailedNodeAllocatableEnforcement Failed to update Node Allocatable Limits ["a" "kubepods"]: /memory.max: cannot be set to 7: EBUSY';
  assert.deepEqual(lines, [failed]);
  await pass(clock, 59_000);
  assert.equal(lines.length, 1);
  await pass(clock, 1_000);
  assert.deepEqual(lines, [failed, failed]);
  await pass(clock, 60_000);
  assert.deepEqual(lines, [failed, failed, DONE]);
  await scope.close();
});

test('it ends with the kubelet; a node without groups of its own has nothing to hold', async () => {
  const fails = await begun({ enforce: () => Promise.reject(new PathError('/x', 'no')) });
  await fails.scope.close();
  await pass(fails.clock, 600_000);
  assert.equal(fails.lines.length, 1);
  const none = await begun({ machine: {}, enforce: () => Promise.reject(new PathError('/x', 'no')) });
  assert.deepEqual(none.lines, []);
  await none.scope.close();
});
