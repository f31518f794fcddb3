/** What of each memory node of a machine is given to containers alone, and what is left: figures in bytes. Pure. */
import { hugePagesName } from '../huge-pages.ts';
import type { NumaNode } from '../ports.ts';
import { type Hint, countOf, possibleHints } from '../topology/hint.ts';

/** What a container has of one sort of memory: from these nodes together, by number. */
export interface MemoryBlock {
  readonly nodes: readonly number[];
  /** `memory`, `hugepages-2Mi`. */
  readonly resource: string;
  readonly bytes: number;
}

/** One sort of memory of one node. */
export interface MemoryAmounts {
  readonly total: number;
  readonly systemReserved: number;
  readonly allocatable: number;
  reserved: number;
  free: number;
}

export interface MemoryNode {
  readonly id: number;
  /** Blocks that name it. */
  assignments: number;
  /** The nodes that it gives together with; only itself, while it gives alone. */
  cells: readonly number[];
  readonly amounts: ReadonlyMap<string, MemoryAmounts>;
}

/** By position. */
export type MemoryTable = readonly MemoryNode[];

/** By number of the node, then by sort: what is never given. */
export type ReservedMemory = ReadonlyMap<number, ReadonlyMap<string, number>>;

/** Of a machine of which nothing is given yet. */
export function emptyTable(nodes: readonly NumaNode[], reserved: ReservedMemory): MemoryTable {
  return nodes.map(({ id, memoryBytes, hugePages }) => {
    const pages = hugePages.map(({ sizeBytes, count }) => [hugePagesName(sizeBytes), sizeBytes * count] as const);
    const ordinary = memoryBytes - pages.reduce((sum, [, bytes]) => sum + bytes, 0);
    const all = [['memory', ordinary] as const, ...pages];
    const amounts = all.map(([name, total]) => [name, amountsOf(total, reserved.get(id)?.get(name) ?? 0)] as const);
    return { id, assignments: 0, cells: [id], amounts: new Map(amounts) };
  });
}

function amountsOf(total: number, systemReserved: number): MemoryAmounts {
  const allocatable = Math.max(0, total - systemReserved);
  return { total, systemReserved, allocatable, reserved: 0, free: allocatable };
}

/** Takes a block out of what is free: of the first of its nodes as much as it has, of the next the rest. */
export function take(table: MemoryTable, { nodes, resource, bytes }: MemoryBlock): void {
  let left = bytes;
  for (const node of table) {
    if (!nodes.includes(node.id)) continue;
    node.assignments++;
    node.cells = nodes;
    const amounts = node.amounts.get(resource);
    if (amounts === undefined) continue;
    const taken = Math.min(left, amounts.free);
    amounts.free -= taken;
    amounts.reserved += taken;
    left -= taken;
  }
}

/** By sort of memory, in bytes. */
export type MemoryWish = ReadonlyMap<string, number>;

/** What the pod has already from exactly these nodes, and can use once more. */
export type Reusable = (nodes: readonly number[], resource: string) => number;

/**
 * The sets of nodes from which all of a wish could be given. A node gives alone or always together with the same others: who
 * shares nodes with nobody finds its memory where it was promised.
 */
export function memoryHints(table: MemoryTable, wish: MemoryWish, reusable: Reusable): readonly Hint[] {
  const wanted = [...wish];
  return possibleHints(2 ** table.length - 1, {
    couldEver: (set) =>
      wanted.every(([name, bytes]) => sumOf(table, set, (n) => n.amounts.get(name)?.allocatable) >= bytes),
    canNow: (set) => {
      if (!keepsGroups(table, set)) return false;
      const ids = idsOf(table, set);
      return wanted.every(
        ([name, bytes]) => sumOf(table, set, (n) => n.amounts.get(name)?.free) + reusable(ids, name) >= bytes,
      );
    },
  });
}

/** Whether giving from these nodes leaves no node that gives both alone and together with others, or with different ones. */
export function keepsGroups(table: MemoryTable, set: number): boolean {
  const ids = idsOf(table, set);
  return table.every((node) => {
    if (!ids.includes(node.id)) return true;
    if (ids.length === 1) return node.cells.length <= 1;
    return node.assignments === 0 || (node.cells.length === ids.length && node.cells.every((id) => ids.includes(id)));
  });
}

/** Whether these nodes have so much free. */
export function satisfies(table: MemoryTable, set: number, wish: MemoryWish): boolean {
  return [...wish].every(([name, bytes]) => sumOf(table, set, (node) => node.amounts.get(name)?.free) >= bytes);
}

/** The best of several: preferred before others, then of fewer nodes, then of earlier ones. */
export function bestHint(hints: readonly Hint[]): (Hint & { readonly nodes: number }) | undefined {
  let best: (Hint & { readonly nodes: number }) | undefined;
  for (const { nodes, isPreferred } of hints) {
    if (nodes === undefined) continue;
    const one = { nodes, isPreferred };
    if (best === undefined || isBetter(one, best)) best = one;
  }
  return best;
}

function isBetter(one: Hint & { readonly nodes: number }, best: Hint & { readonly nodes: number }): boolean {
  if (one.isPreferred !== best.isPreferred) return one.isPreferred;
  const [a, b] = [countOf(one.nodes), countOf(best.nodes)];
  return a === b ? one.nodes < best.nodes : a < b;
}

/** Numbers of the nodes of a set, rising. */
export function idsOf(table: MemoryTable, set: number): readonly number[] {
  return table.filter((_, i) => (set & (1 << i)) !== 0).map(({ id }) => id);
}

/** The set of nodes of these numbers; those that are not there are left out. */
export function setOf(table: MemoryTable, ids: readonly number[]): number {
  return table.reduce((set, { id }, i) => (ids.includes(id) ? set | (1 << i) : set), 0);
}

function sumOf(table: MemoryTable, set: number, of: (node: MemoryNode) => number | undefined): number {
  return table.reduce((sum, node, i) => ((set & (1 << i)) === 0 ? sum : sum + (of(node) ?? 0)), 0);
}
