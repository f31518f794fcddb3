import { execFile } from 'node:child_process';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { RuntimeError } from '../errors.ts';
import type { HostFacts } from './host.ts';
import type { Layout } from './layout.ts';

const run = promisify(execFile);

/** A line of /proc/self/mountinfo. */
export interface MountPoint {
  readonly path: string;
  readonly type: string;
  readonly shared: boolean;
}

/** The mounts of this process's namespace, in the order they were made. */
export async function listMounts(): Promise<MountPoint[]> {
  const text = await readFile('/proc/self/mountinfo', 'utf8');
  return text.split('\n').flatMap(parseMount);
}

/** Fields: id, parent, device, root, mount point, options, optional fields …, `-`, type, source, options. */
export function parseMount(line: string): MountPoint[] {
  const fields = line.split(' ');
  const dash = fields.indexOf('-', 6);
  if (dash === -1) return [];
  const path = (fields[4] ?? '').replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));
  return [{ path, type: fields[dash + 1] ?? '', shared: fields.slice(6, dash).some((f) => f.startsWith('shared:')) }];
}

/**
 * containerd lives in a mount namespace of its own, kept in a file so that a containerd started again after a crash
 * finds the mounts of the pods that outlived it. In it the folders that all containerds of a machine share are
 * replaced by our own, and hybrid machines look like pure cgroup v1. What the node mounts comes in where its mount is
 * shared; only what is mounted below the shared folders goes out too, since drivers of volumes run in pods and mount for
 * others. Dropping the file drops every mount of every pod.
 */
export async function keepMountNamespace(
  layout: Layout,
  host: HostFacts,
  sharedFolders: readonly string[],
): Promise<void> {
  const mounts = await listMounts();
  // One that is there knows the folders that were shared when it was made; sharing others now would only hide those.
  if (mounts.some((mount) => mount.path === layout.namespace && mount.type === 'nsfs')) return;
  for (const folder of sharedFolders) await shareFolder(folder, mounts);
  // The shared ones stay when we go: removing a folder ends the mounts on it in everybody's namespace.
  for (const folder of layout.standIns.flatMap(({ own, shared }) => [own, shared])) {
    await mkdir(folder, { recursive: true });
  }
  // Not where it is shared: it comes behind what stands in for the folder above it.
  for (const folder of [layout.state, layout.passableState.place]) await mkdir(folder, { recursive: true });
  await mkdir(layout.namespaceDir, { recursive: true });
  if (!mounts.some((mount) => mount.path === layout.namespaceDir)) {
    // The kernel keeps no mount namespace in a mount that spreads.
    await run('mount', ['--bind', '--make-private', layout.namespaceDir, layout.namespaceDir]);
  }
  await writeFile(layout.namespace, '');
  const script = [
    'set -e',
    'mode=$1; shift',
    // What somebody unmounted meanwhile needs no change.
    'while [ "$1" != -- ]; do mount --make-slave "$1" 2>/dev/null || ! mountpoint -q "$1"; shift; done; shift',
    'if [ "$mode" = hybrid ]; then umount /sys/fs/cgroup/unified; fi',
    'while [ $# -gt 0 ]; do mount --bind "$1" "$2"; shift 2; done',
  ].join('\n');
  const standIns = layout.standIns.flatMap(({ own, shared }) => [own, shared]);
  const pairs = [...standIns, layout.state, layout.passableState.path];
  const mode = host.hybridCgroups ? 'hybrid' : 'plain';
  const slaves = oneWayMounts(await listMounts(), sharedFolders);
  const flags = [`--mount=${layout.namespace}`, '--propagation', 'unchanged'];
  const unshare = [...flags, 'sh', '-c', script, 'sh', mode, ...slaves, '--', ...pairs];
  try {
    await untilKept(() => run(host.programs.unshare, unshare));
  } catch (error) {
    // Half a namespace must not be taken for a whole one at the next start.
    await dropMountNamespace(layout, []);
    throw new RuntimeError('could not make a mount namespace for containerd', {
      code: 'mount-namespace',
      cause: error,
    });
  }
}

/** Where the containerd of this namespace finds its state: in one that an earlier release made, where it has always been. */
export async function stateWithin({ state, passableState }: Layout): Promise<string> {
  return access(passableState.place).then(
    () => passableState.path,
    // Absent.
    () => state,
  );
}

const KEEP_TRIES = 60;

/**
 * Has a namespace made until it can be kept. Linux 6.18 hands numbers of namespaces out by processor: one made just now may
 * count as older than our own, where that is not the machine's first (as in a container), and the kernel keeps none that is
 * older. Another one may be younger: of thirty tries in such a place eleven went well. Throws what `make` throws last.
 */
export async function untilKept(make: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await make();
      return;
    } catch (error) {
      if (tries === KEEP_TRIES || !countsAsOlder(error)) throw error;
    }
  }
}

/** By what unshare names, in whatever language, when a file cannot keep a namespace: nothing has been run in it yet. */
function countsAsOlder(error: unknown): boolean {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  return /\/proc\/\d+\/ns\/mnt\b/.test(said);
}

/** The mounts that would spread to the node what happens in the namespace. Those that are private spread nothing. */
export function oneWayMounts(mounts: readonly MountPoint[], sharedFolders: readonly string[]): string[] {
  const spreads = (path: string): boolean =>
    sharedFolders.some((folder) => path === folder || path.startsWith(`${folder}/`));
  return [...new Set(mounts.filter((mount) => mount.shared && !spreads(mount.path)).map((mount) => mount.path))];
}

/** Unmounts the namespace, which ends every mount in it that no process holds, and the shared folders. */
export async function dropMountNamespace(layout: Layout, sharedFolders: readonly string[]): Promise<void> {
  const wanted = new Set([layout.namespace, layout.namespaceDir, ...sharedFolders]);
  const mounts = (await listMounts()).filter(
    (mount) => wanted.has(mount.path) || mount.path.startsWith(`${layout.base}/`),
  );
  for (const { path } of mounts.toReversed()) await run('umount', ['--lazy', path]);
}

/**
 * A folder whose later mounts must be seen by containers (the kubelet's volumes): bound onto itself and shared, so
 * that it spreads into the namespace even where `/` is private.
 */
async function shareFolder(folder: string, mounts: readonly MountPoint[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const own = mounts.findLast((mount) => mount.path === folder);
  if (own === undefined) await run('mount', ['--bind', '--make-shared', folder, folder]);
  else if (!own.shared) await run('mount', ['--make-shared', folder]);
}
