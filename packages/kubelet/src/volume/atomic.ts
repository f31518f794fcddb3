/**
 * Puts a volume's files down so that readers see the old content or the new, never a mixture:
 *
 *   <volume>/..<stamp>/…files…      the content
 *   <volume>/..data -> ..<stamp>    swapped in one step
 *   <volume>/<name> -> ..data/<name>  one link per first part of a path
 */
import type { HostFiles } from '../ports.ts';
import type { PayloadFile } from './payload.ts';

export async function writePayload(
  files: HostFiles,
  directory: string,
  of: { readonly entries: ReadonlyMap<string, PayloadFile>; readonly stamp: number; readonly gid?: number },
): Promise<void> {
  await files.makeDirectory(directory, 0o755);
  const name = await freeName(files, directory, of.stamp);
  try {
    await writeAll(files, `${directory}/${name}`, of.entries);
    // Before anybody can see it.
    if (of.gid !== undefined) await files.changeGroup(directory, { gid: of.gid, readOnly: true });
    await files.link(name, `${directory}/..data`);
  } catch (error) {
    // It is tried again and again: half of it each time would fill the disk.
    await files.remove(`${directory}/${name}`);
    throw error;
  }
  const heads = new Set([...of.entries.keys()].map((path) => path.split('/', 1)[0] ?? path));
  for (const head of heads) {
    if ((await files.readLink(`${directory}/${head}`)) === undefined)
      await files.link(`..data/${head}`, `${directory}/${head}`);
  }
  // What was there before, and what a kubelet that was killed in the middle of it had begun.
  const kept = new Set([...heads, '..data', name]);
  for (const entry of await files.list(directory)) {
    if (!kept.has(entry)) await files.remove(`${directory}/${entry}`);
  }
}

async function writeAll(files: HostFiles, fresh: string, entries: ReadonlyMap<string, PayloadFile>): Promise<void> {
  await files.makeDirectory(fresh, 0o755);
  for (const [path, file] of entries) {
    const parent = path.includes('/') ? `${fresh}/${path.slice(0, path.lastIndexOf('/'))}` : fresh;
    if (parent !== fresh) await files.makeDirectory(parent, 0o755);
    await files.writeFile(`${fresh}/${path}`, file.content, file);
  }
}

/** `..2026_11_20_12_00_00.000`, with a number behind where two writes meet in one millisecond. */
async function freeName(files: HostFiles, directory: string, stamp: number): Promise<string> {
  const base = `..${new Date(stamp).toISOString().replace(/[-:T]/g, '_').replace('Z', '')}`;
  for (let i = 0; ; i++) {
    const name = i === 0 ? base : `${base}${i}`;
    if ((await files.kind(`${directory}/${name}`)) === 'absent') return name;
  }
}
