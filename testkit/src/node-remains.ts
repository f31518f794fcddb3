import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pidsByCommand, podCgroups, podLinks } from './container.ts';

const run = promisify(execFile);

/** What a node has of pods, thing by thing, sorted; two of these are compared as they are. */
export interface NodeRemains {
  readonly mounts: readonly string[];
  /** In the mount namespace of the private containerd. */
  readonly mountsWithin: readonly string[];
  readonly networkNamespaces: readonly string[];
  readonly links: readonly string[];
  readonly addresses: readonly string[];
  readonly cgroups: readonly string[];
  readonly shims: number;
  readonly folders: readonly string[];
}

/** Looks at the private containerd and the kubelet of a cluster; control groups of the pods named. */
export async function nodeRemains(dataDir: string, podUids: readonly string[]): Promise<NodeRemains> {
  const containerd = join(dataDir, 'containerd');
  const within = await run('nsenter', [`--mount=${join(containerd, 'ns/mnt')}`, 'cat', '/proc/self/mountinfo'], {
    maxBuffer: 64 << 20,
  });
  return {
    mounts: mountPoints(readFileSync('/proc/self/mountinfo', 'utf8'), dataDir),
    mountsWithin: mountPoints(within.stdout, dataDir),
    networkNamespaces: names(join(containerd, 'netns')),
    links: podLinks(dataDir).toSorted(),
    addresses: addressFiles(join(containerd, 'cni/ipam')),
    cgroups: podCgroups(podUids).toSorted(),
    shims: pidsByCommand(containerd).filter(isShim).length,
    folders: [...names(join(dataDir, 'kubelet/pods')), ...names(join(dataDir, 'kubelet/logs'))],
  };
}

function mountPoints(text: string, dataDir: string): string[] {
  const points = text.split('\n').map((line) => line.split(' ')[4] ?? '');
  return points.filter((point) => point.startsWith(`${dataDir}/`) || point.startsWith('/run/')).toSorted();
}

function names(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
}

/** host-local keeps a file for each address that it gave out. */
function addressFiles(folder: string): string[] {
  return names(folder).flatMap((network) => names(join(folder, network)).filter((name) => /^[\d.]+$|:/.test(name)));
}

function isShim(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('containerd-shim');
  } catch {
    // It ended while it was looked at.
    return false;
  }
}
