/** Which user ids of the node a pod has: a file in its folder, since containers outlive their kubelet. Upstream's form. */
import { parsedJson } from '@binnacle/machinery';
import { UserNamespaceError } from '../errors.ts';
import type { HostFiles, IdRange } from '../ports.ts';
import { writeDown } from '../written-down.ts';

interface WrittenMapping {
  readonly hostId: number;
  readonly containerId: number;
  readonly length: number;
}

const NAME = 'userns';
const BYTES_MAX = 4_096;

/** Where it stands in a pod's folder. */
export function idRecordPath(podDirectory: string): string {
  return `${podDirectory}/${NAME}`;
}

/** Whole or not at all; the folder is made where it is missing. */
export async function writeIdRecord(files: HostFiles, podDirectory: string, run: IdRange): Promise<void> {
  const mappings: readonly WrittenMapping[] = [{ hostId: run.first, containerId: 0, length: run.length }];
  await files.makeDirectory(podDirectory, 0o750);
  await writeDown(files, idRecordPath(podDirectory), { uidMappings: mappings, gidMappings: mappings });
}

/** Undefined: there is none. Throws UserNamespaceError for what no kubelet wrote. */
export async function readIdRecord(files: HostFiles, podDirectory: string): Promise<IdRange | undefined> {
  const bytes = await files.readRange(idRecordPath(podDirectory), 0, BYTES_MAX);
  if (bytes === undefined || bytes.length === 0) return undefined;
  return idsOfRecord(new TextDecoder().decode(bytes));
}

/** The run of ids that a record tells of. Throws UserNamespaceError, in upstream's words. Pure. */
export function idsOfRecord(text: string): IdRange {
  const { uidMappings: uids, gidMappings: gids } = (parsedJson(text) ?? {}) as {
    readonly uidMappings?: unknown;
    readonly gidMappings?: unknown;
  };
  if (!Array.isArray(uids) || uids.length !== 1)
    throw new UserNamespaceError('invalid user namespace configuration: no more than one mapping allowed.');
  if (JSON.stringify(uids) !== JSON.stringify(gids))
    throw new UserNamespaceError('invalid user namespace configuration: GID and UID mappings should be identical.');
  const { hostId, containerId, length } = (uids[0] ?? {}) as Partial<WrittenMapping>;
  if (containerId !== 0) throw new UserNamespaceError('invalid user namespace configuration: UID 0 must be mapped');
  if (!Number.isInteger(hostId) || !Number.isInteger(length))
    throw new UserNamespaceError('invalid user namespace mappings file: hostId and length must be numbers');
  return { first: hostId as number, length: length as number };
}
