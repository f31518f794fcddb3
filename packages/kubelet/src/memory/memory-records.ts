/** Which containers have memory of their own, and of which nodes: a file, since containers outlive their kubelet. */
import { parsedJson } from '@binnacle/machinery';
import type { HostFiles } from '../ports.ts';
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
  await files.writeFile(path, new TextEncoder().encode(JSON.stringify(written)), { mode: 0o600 });
}

function writtenNode({ assignments, cells, amounts }: MemoryTable[number]): WrittenNode {
  return { numberOfAssignments: assignments, memoryMap: Object.fromEntries(amounts), cells };
}

function writtenBlock({ nodes, resource, bytes }: MemoryBlock): WrittenBlock {
  return { numaAffinity: nodes, type: resource, size: bytes };
}

/** Undefined: there is none, or nobody can read it. */
export async function readMemoryGrants(files: HostFiles, path: string): Promise<MemoryRecord | undefined> {
  const bytes = await files.readRange(path, 0, BYTES_MAX);
  const parsed = bytes === undefined ? undefined : parsedJson(new TextDecoder().decode(bytes));
  const { policyName, entries, machineState } = (parsed ?? {}) as Partial<Written>;
  if (typeof policyName !== 'string' || typeof entries !== 'object') return undefined;
  const grants: MemoryGrants = new Map();
  for (const [uid, own] of Object.entries(entries)) {
    grants.set(uid, new Map(Object.entries(own).map(([name, blocks]) => [name, blocks.map(readBlock)])));
  }
  const machine = Object.entries(machineState ?? {}).map(
    ([id, { memoryMap }]) => [Number(id), new Map(Object.entries(memoryMap))] as const,
  );
  return { policy: policyName, grants, machine: new Map(machine) };
}

function readBlock({ numaAffinity, type, size }: WrittenBlock): MemoryBlock {
  return { nodes: numaAffinity, resource: type, bytes: size };
}
