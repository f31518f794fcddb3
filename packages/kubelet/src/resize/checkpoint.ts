/** What a kubelet that starts again must know of resized pods: a file of the pod's own folder. */
import type { ResourceRequirements } from '@binnacle/api/core/v1';
import type { HostFiles } from '../ports.ts';
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

/** Writes it, whole or not at all. */
export async function writeRecord(files: HostFiles, path: string, record: ResizeRecord): Promise<void> {
  const written: Written = {
    allocated: Object.fromEntries(record.allocation),
    actuated: Object.fromEntries(record.actuated),
  };
  await files.writeFile(path, new TextEncoder().encode(JSON.stringify(written)), { mode: 0o600 });
}

/** Undefined where there is none, or what is there is none: then the containers themselves say what they were made with. */
export async function readRecord(files: HostFiles, path: string): Promise<ResizeRecord | undefined> {
  const bytes = await files.readFile(path);
  if (bytes === undefined) return undefined;
  const written = parse(new TextDecoder().decode(bytes));
  if (written === undefined) return undefined;
  return {
    allocation: new Map(Object.entries(written.allocated)),
    actuated: new Map(Object.entries(written.actuated)),
  };
}

function parse(text: string): Written | undefined {
  try {
    const value = JSON.parse(text) as Partial<Written> | null;
    return isTable(value?.allocated) && isTable(value?.actuated) ? (value as Written) : undefined;
  } catch {
    return undefined;
  }
}

function isTable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'object');
}
