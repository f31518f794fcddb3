/** What a kubelet that starts again must know of resized pods: a file of the pod's own folder. */
import { membersOf } from '@binnacle/machinery';
import type { ResourceRequirements } from '@binnacle/api/core/v1';
import type { HostFiles } from '../ports.ts';
import { isTableOf, isText, readWritten, writeDown } from '../written-down.ts';
import type { Allocation } from './allocation.ts';

/** What containers were given, and what those that run were told to have, by container id. */
export interface ResizeRecord {
  readonly allocation: Allocation;
  readonly actuated: ReadonlyMap<string, ResourceRequirements>;
}

interface Written {
  readonly allocated: { readonly [name: string]: ResourceRequirements };
  readonly actuated: { readonly [id: string]: ResourceRequirements };
}

const BYTES_MAX = 4 << 20;

/** Writes it, whole or not at all. */
export async function writeRecord(files: HostFiles, path: string, record: ResizeRecord): Promise<void> {
  const written: Written = {
    allocated: Object.fromEntries(record.allocation),
    actuated: Object.fromEntries(record.actuated),
  };
  await writeDown(files, path, written);
}

/** Undefined where there is none, or what is there is none: then the containers themselves say what they were made with. */
export async function readRecord(files: HostFiles, path: string): Promise<ResizeRecord | undefined> {
  const found = await readWritten(files, path, BYTES_MAX);
  if (found === undefined || !isWritten(found.value)) return undefined;
  const { allocated, actuated } = found.value;
  return { allocation: new Map(Object.entries(allocated)), actuated: new Map(Object.entries(actuated)) };
}

function isWritten(value: unknown): value is Written {
  const { allocated, actuated } = membersOf(value);
  return isTableOf(allocated, isResources) && isTableOf(actuated, isResources);
}

function isResources(value: unknown): value is ResourceRequirements {
  const { limits = {}, requests = {} } = membersOf(value);
  return isTableOf(value, () => true) && isTableOf(limits, isText) && isTableOf(requests, isText);
}
