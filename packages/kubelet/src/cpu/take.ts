import type { Cpu } from '../ports.ts';

/**
 * Takes CPUs that lie close together: whole NUMA nodes and sockets where all of one is wanted, then whole cores, then
 * what is left of cores that are in use already; on the same node as what was taken before, where that is possible.
 * Undefined where there are too few. Pure.
 */
export function takeCpus(topology: readonly Cpu[], free: ReadonlySet<number>, count: number): number[] | undefined {
  const left = new Map(topology.filter(({ id }) => free.has(id)).map((cpu) => [cpu.id, cpu]));
  if (left.size < count) return undefined;
  const taken: Cpu[] = [];
  const take = (cpus: readonly Cpu[]): void => {
    for (const cpu of cpus) {
      taken.push(cpu);
      left.delete(cpu.id);
    }
  };
  for (const key of [nodeOf, socketOf, coreOf]) {
    for (const group of wholeGroups(topology, left, key)) {
      if (taken.length + group.length <= count) take(group);
    }
    if (taken.length === count) break;
  }
  while (taken.length < count) {
    const next = closest([...left.values()], { topology, left, taken });
    if (next === undefined) return undefined;
    take([next]);
  }
  return taken.map(({ id }) => id).toSorted((a, b) => a - b);
}

/** Likewise, those of certain memory nodes before all others; absent: none before others. */
export function takeCpusNear(
  topology: readonly Cpu[],
  free: ReadonlySet<number>,
  of: { readonly count: number; readonly isNear?: ((cpu: Cpu) => boolean) | undefined },
): number[] | undefined {
  const { count, isNear } = of;
  const near =
    isNear === undefined ? [] : topology.filter((cpu) => free.has(cpu.id) && isNear(cpu)).map(({ id }) => id);
  if (near.length === 0) return takeCpus(topology, free, count);
  if (near.length >= count) return takeCpus(topology, new Set(near), count);
  const far = takeCpus(topology, new Set([...free].filter((id) => !near.includes(id))), count - near.length);
  return far === undefined ? undefined : [...near, ...far].toSorted((a, b) => a - b);
}

type Key = (cpu: Cpu) => string;

const nodeOf: Key = ({ node }) => `node ${node}`;
const socketOf: Key = ({ socket }) => `socket ${socket}`;
const coreOf: Key = ({ socket, core }) => `core ${socket} ${core}`;

/** Groups of which nothing is taken, those on the fullest node first: big free ones stay whole. */
function wholeGroups(topology: readonly Cpu[], left: ReadonlyMap<number, Cpu>, key: Key): Cpu[][] {
  const whole = [...Map.groupBy(topology, key).values()].filter((group) => group.every(({ id }) => left.has(id)));
  const freeOnNode = counts([...left.values()], nodeOf);
  const roomOf = ([first]: readonly Cpu[]): number => (first === undefined ? 0 : (freeOnNode.get(nodeOf(first)) ?? 0));
  return whole.toSorted((a, b) => roomOf(a) - roomOf(b) || (a[0]?.id ?? 0) - (b[0]?.id ?? 0));
}

function closest(
  candidates: readonly Cpu[],
  of: { readonly topology: readonly Cpu[]; readonly left: ReadonlyMap<number, Cpu>; readonly taken: readonly Cpu[] },
): Cpu | undefined {
  const ours = { core: counts(of.taken, coreOf), node: counts(of.taken, nodeOf) };
  const freeOnCore = counts([...of.left.values()], coreOf);
  const freeOnNode = counts([...of.left.values()], nodeOf);
  const rank = (cpu: Cpu): readonly number[] => [
    -(ours.core.get(coreOf(cpu)) ?? 0),
    -(ours.node.get(nodeOf(cpu)) ?? 0),
    freeOnNode.get(nodeOf(cpu)) ?? 0,
    freeOnCore.get(coreOf(cpu)) ?? 0,
    cpu.id,
  ];
  return candidates.map((cpu) => ({ cpu, rank: rank(cpu) })).toSorted((a, b) => compare(a.rank, b.rank))[0]?.cpu;
}

function counts(cpus: readonly Cpu[], key: Key): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const cpu of cpus) found.set(key(cpu), (found.get(key(cpu)) ?? 0) + 1);
  return found;
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
