import { access, readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';

/**
 * Removes a pod's cgroups, e.g. `/kubepods/besteffort/pod<uid>`, with everything empty below, in every v1 hierarchy or
 * in the one of v2. What still holds processes stays; what is gone already is no error. Answers with what stayed.
 */
export async function removeCgroup(path: string, root: string = ROOT): Promise<readonly string[]> {
  const stayed: string[] = [];
  for (const hierarchy of await listHierarchies(root)) stayed.push(...(await removeTree(join(hierarchy, path))));
  return stayed;
}

/** Whether cgroup v2 is mounted below v1's folder, as on half-converted machines. */
export async function hasHybridCgroups(root: string = ROOT): Promise<boolean> {
  return !(await exists(join(root, 'cgroup.controllers'))) && (await exists(join(root, 'unified/cgroup.controllers')));
}

async function listHierarchies(root: string): Promise<string[]> {
  if (await exists(join(root, 'cgroup.controllers'))) return [root];
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  // Links such as `cpuacct -> cpu,cpuacct` lead to folders that come by themselves.
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(root, entry.name));
}

async function removeTree(folder: string): Promise<string[]> {
  // Gone meanwhile: nothing is left to remove.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return [];
  const stayed: string[] = [];
  for (const entry of entries) if (entry.isDirectory()) stayed.push(...(await removeTree(join(folder, entry.name))));
  if (stayed.length > 0) return [...stayed, folder];
  return await rmdir(folder).then(
    () => [],
    async () => ((await exists(folder)) ? [folder] : []),
  );
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    // Absent.
    () => false,
  );
}
