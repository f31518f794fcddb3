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

function mountPoints(text: string, dataDir: string): string[] {
  const points = text.split('\n').map((line) => line.split(' ')[4] ?? '');
  return points.filter((point) => point.startsWith(`${dataDir}/`) || point.startsWith('/run/')).toSorted();
}

/** Rules and chains of CNI plugins that name the network, or lead to one of its addresses. */
async function podRules(dataDir: string): Promise<string[]> {
  const [bridge = ''] = podLinks(dataDir);
  const { stdout } = await run('iptables', ['-w', '-t', 'nat', '-S'], { maxBuffer: 64 << 20 });
  const lines = stdout.split('\n').filter((line) => /\bCNI-/.test(line));
  const addresses = podPrefix(dataDir);
  return lines.filter((line) => line.includes(`\\"${bridge}\\"`) || line.includes(addresses)).toSorted();
}

/** How the addresses of its pods begin: ranges of tests are of 16 or 24 bits. */
function podPrefix(dataDir: string): string {
  const text = readFileSync(join(dataDir, 'containerd/cni/net.d/10-binnacle.conflist'), 'utf8');
  const [, address = '', bits = ''] = /"subnet": "([\d.]+)\/(\d+)"/.exec(text) ?? [];
  const parts = address.split('.').slice(0, Number(bits) / 8);
  return ` ${parts.join('.')}.`;
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
