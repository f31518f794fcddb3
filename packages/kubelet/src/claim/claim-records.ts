/** Which claims of which pods are prepared: a file, since containers outlive their kubelet. */
import { membersOf } from '@binnacle/machinery';
import type { HostFiles } from '../ports.ts';
import { isListOf, isText, readWritten, writeDown } from '../written-down.ts';

/** A device of a claim, as its driver prepared it. */
export interface PreparedDevice {
  readonly driver: string;
  /** Requests that it serves; none: all. */
  readonly requests: readonly string[];
  readonly pool: string;
  readonly device: string;
  readonly share?: string;
  readonly cdiIds: readonly string[];
}

/** A claim that pods of this node use. */
export interface ClaimRecord {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Those that prepare it, also while they have not answered. */
  readonly drivers: readonly string[];
  /** UIDs. */
  readonly pods: readonly string[];
  /** Absent until all drivers have prepared it. */
  readonly devices?: readonly PreparedDevice[];
}

/** By UID of the claim. */
export type ClaimRecords = Map<string, ClaimRecord>;

const BYTES_MAX = 16 << 20;

/** Writes them, whole or not at all. */
export async function writeClaims(files: HostFiles, path: string, records: ClaimRecords): Promise<void> {
  const written = { version: 'v1', claims: [...records.values()] };
  await writeDown(files, path, written);
}

/** What is there, or nothing: what cannot be read is prepared again, which drivers stand. */
export async function readClaims(files: HostFiles, path: string): Promise<ClaimRecords> {
  const { claims } = membersOf((await readWritten(files, path, BYTES_MAX))?.value);
  const all: readonly unknown[] = Array.isArray(claims) ? claims : [];
  return new Map(all.filter(isRecord).map((record) => [record.uid, record]));
}

function isRecord(value: unknown): value is ClaimRecord {
  const { namespace, name, uid, drivers, pods, devices = [] } = membersOf(value);
  return (
    [namespace, name, uid].every(isText) &&
    [drivers, pods].every((list) => isListOf(list, isText)) &&
    isListOf(devices, isDevice)
  );
}

function isDevice(value: unknown): value is PreparedDevice {
  const { driver, requests, pool, device, cdiIds } = membersOf(value);
  return [driver, pool, device].every(isText) && [requests, cdiIds].every((list) => isListOf(list, isText));
}
