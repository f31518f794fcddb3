/** Which containers have memory of their own, and of which nodes: a file, since containers outlive their kubelet. */
import { membersOf } from '@binnacle/machinery';
import type { HostFiles } from '../ports.ts';
import { isCount, isListOf, isTableOf, isText, readWritten, writeDown } from '../written-down.ts';
import type { MemoryBlock, MemoryTable } from './memory-table.ts';

/** By pod UID and container. */
export type MemoryGrants = Map<string, Map<string, readonly MemoryBlock[]>>;

interface WrittenAmounts {
  readonly total: number;
  readonly systemReserved: number;
  readonly allocatable: number;
  readonly reserved: number;
  readonly free: number;
}

interface WrittenNode {
  readonly numberOfAssignments: number;
  readonly memoryMap: { readonly [resource: string]: WrittenAmounts };
  readonly cells: readonly number[];
}

interface Written {
  readonly policyName: string;
  readonly machineState: { readonly [node: string]: WrittenNode };
  readonly entries: { readonly [uid: string]: { readonly [container: string]: readonly WrittenBlock[] } };
}

interface WrittenBlock {
  readonly numaAffinity: readonly number[];
  readonly type: string;
  readonly size: number;
}

export interface MemoryRecord {
  readonly policy: string;
  readonly grants: MemoryGrants;
  /** What each node had for containers when it was written. */
  readonly machine: ReadonlyMap<number, ReadonlyMap<string, Pick<WrittenAmounts, 'total' | 'systemReserved'>>>;
}

const BYTES_MAX = 4 << 20;

/** Whole or not at all. */
export async function writeMemoryGrants(
  files: HostFiles,
  path: string,
  of: { readonly table: MemoryTable; readonly grants: MemoryGrants },
): Promise<void> {
  const written: Written = {
    policyName: 'Static',
    machineState: Object.fromEntries(of.table.map((node) => [node.id, writtenNode(node)])),
    entries: Object.fromEntries(
      [...of.grants].map(([uid, own]) => [
        uid,
        Object.fromEntries([...own].map(([name, blocks]) => [name, blocks.map(writtenBlock)])),
      ]),
    ),
  };
  await writeDown(files, path, written);
}

function writtenNode({ assignments, cells, amounts }: MemoryTable[number]): WrittenNode {
  return { numberOfAssignments: assignments, memoryMap: Object.fromEntries(amounts), cells };
}

function writtenBlock({ nodes, resource, bytes }: MemoryBlock): WrittenBlock {
  return { numaAffinity: nodes, type: resource, size: bytes };
}

/** What is there; `corrupt`: nothing that a kubelet wrote. Undefined: there is none. */
export async function readMemoryGrants(files: HostFiles, path: string): Promise<MemoryRecord | 'corrupt' | undefined> {
  const found = await readWritten(files, path, BYTES_MAX);
  if (found === undefined) return undefined;
  if (!isWritten(found.value)) return 'corrupt';
  const { policyName, entries, machineState } = found.value;
  const grants: MemoryGrants = new Map();
  for (const [uid, own] of Object.entries(entries)) {
    grants.set(uid, new Map(Object.entries(own).map(([name, blocks]) => [name, blocks.map(readBlock)])));
  }
  const machine = Object.entries(machineState).map(
    ([id, { memoryMap }]) => [Number(id), new Map(Object.entries(memoryMap))] as const,
  );
  return { policy: policyName, grants, machine: new Map(machine) };
}

function isWritten(value: unknown): value is Written {
  const { policyName, entries, machineState } = membersOf(value);
  return (
    isText(policyName) &&
    isTableOf(entries, (own) => isTableOf(own, (blocks) => isListOf(blocks, isBlock))) &&
    isTableOf(machineState, (node) => isTableOf(membersOf(node)['memoryMap'], isAmounts))
  );
}

function isBlock(value: unknown): value is WrittenBlock {
  const { numaAffinity, type, size } = membersOf(value);
  return isListOf(numaAffinity, isCount) && isText(type) && isCount(size);
}

function isAmounts(value: unknown): boolean {
  const { total, systemReserved } = membersOf(value);
  return isCount(total) && isCount(systemReserved);
}

function readBlock({ numaAffinity, type, size }: WrittenBlock): MemoryBlock {
  return { nodes: numaAffinity, resource: type, bytes: size };
}
