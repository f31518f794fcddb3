import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pidsByCommand, podCgroups, podLinks } from './container.ts';
import { podNetwork } from './pod-network.ts';
import type { PodNetwork } from './pod-network.ts';

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
  /** Of address translation, those of the pods' network; what is left of the bridge's own is no pod's. */
  readonly rules: readonly string[];
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
    rules: await podRules(dataDir),
    shims: pidsByCommand(containerd).filter(isShim).length,
    folders: [...names(join(dataDir, 'kubelet/pods')), ...names(join(dataDir, 'kubelet/logs'))],
  };
}

/**
 * Where something is mounted that is of the cluster below `dataDir`, or of a runtime; of a table as `/proc` shows it. Network
 * namespaces with a name are not its pods': others on the machine come and go.
 */
export function mountPoints(table: string, dataDir: string): string[] {
  const points = table.split('\n').map((line) => line.split(' ')[4] ?? '');
  const isOurs = (point: string): boolean =>
    point.startsWith(`${dataDir}/`) || (point.startsWith('/run/') && !point.startsWith('/run/netns/'));
  return points.filter(isOurs).toSorted();
}

async function podRules(dataDir: string): Promise<string[]> {
  const { stdout } = await run('iptables', ['-w', '-t', 'nat', '-S'], { maxBuffer: 64 << 20 });
  return rulesOf(stdout, podNetwork(dataDir));
}

/** Rules and chains of CNI plugins that name the network, or lead to one of its addresses: ranges are of 16 or 24 bits. */
export function rulesOf(listed: string, { bridge, subnets }: PodNetwork): string[] {
  const starts = subnets
    .filter((subnet) => !subnet.includes(':'))
    .map((subnet) => {
      const [address = '', bits = ''] = subnet.split('/');
      return ` ${address
        .split('.')
        .slice(0, Number(bits) / 8)
        .join('.')}.`;
    });
  const marks = [`\\"${bridge}\\"`, ...starts];
  return listed
    .split('\n')
    .filter((line) => /\bCNI-/.test(line) && marks.some((mark) => line.includes(mark)))
    .toSorted();
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
