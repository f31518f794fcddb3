import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Cpu } from '../ports.ts';
import { takeCpus, takeCpusNear } from './take.ts';

/** Two sockets, each a NUMA node of two cores with two threads: threads of a core are 4 apart. */
const machine: readonly Cpu[] = Array.from({ length: 8 }, (_, id) => {
  const core = id % 4;
  return { id, core, socket: core < 2 ? 0 : 1, node: core < 2 ? 0 : 1 };
});

function take(count: number, ...used: number[]): number[] | undefined {
  return takeCpus(machine, new Set(machine.map(({ id }) => id).filter((id) => !used.includes(id))), count);
}

describe('CPUs that lie close together', () => {
  for (const { name, found, wanted } of [
    { name: 'one thread', found: take(1), wanted: [0] },
    { name: 'a whole core', found: take(2), wanted: [0, 4] },
    { name: 'a core and a thread of the same node', found: take(3), wanted: [0, 1, 4] },
    { name: 'a whole node', found: take(4), wanted: [0, 1, 4, 5] },
    { name: 'a node and a core of the other', found: take(6), wanted: [0, 1, 2, 4, 5, 6] },
    { name: 'all', found: take(8), wanted: [0, 1, 2, 3, 4, 5, 6, 7] },
    { name: 'the other half of a core in use, before a free one', found: take(1, 0), wanted: [4] },
    { name: 'the node that is whole', found: take(4, 0), wanted: [2, 3, 6, 7] },
    { name: 'a core on the node where less is free', found: take(2, 0, 4), wanted: [1, 5] },
    { name: 'threads of two cores where no core is whole', found: take(2, 0, 1, 2, 3), wanted: [4, 5] },
    { name: 'too many', found: take(3, 0, 1, 2, 3, 4, 5), wanted: undefined },
    { name: 'none', found: take(0), wanted: [] },
  ]) {
    test(name, () => assert.deepEqual(found, wanted));
  }
});

describe('CPUs of a memory node before all others', () => {
  const near = (count: number, node: number | undefined, ...used: number[]): number[] | undefined => {
    const free = new Set(machine.map(({ id }) => id).filter((id) => !used.includes(id)));
    return takeCpusNear(machine, free, { count, isNear: node === undefined ? undefined : (cpu) => cpu.node === node });
  };
  for (const { name, found, wanted } of [
    { name: 'a core of it', found: near(2, 1), wanted: [2, 6] },
    { name: 'all of it, and more', found: near(5, 1), wanted: [0, 2, 3, 6, 7] },
    { name: 'what is left of it, and more', found: near(2, 1, 2, 3, 6), wanted: [0, 7] },
    { name: 'nothing is left of it', found: near(1, 1, 2, 3, 6, 7), wanted: [0] },
    { name: 'anywhere', found: near(1, undefined), wanted: [0] },
    { name: 'too many', found: near(9, 1), wanted: undefined },
  ]) {
    test(name, () => assert.deepEqual(found, wanted));
  }
});
