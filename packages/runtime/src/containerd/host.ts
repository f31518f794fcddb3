import { access, constants, readFile, statfs } from 'node:fs/promises';
import { hasHybridCgroups } from '../node/cgroups.ts';

/** What of this machine shapes containerd's configuration. */
export interface HostFacts {
  readonly hybridCgroups: boolean;
  /** Without it nobody may lower an oom_score_adj. */
  readonly canRaiseLimits: boolean;
  readonly apparmor: boolean;
  readonly snapshotter: 'overlayfs' | 'native';
  /** Control groups count memory in large pages, where containers are put into them. */
  readonly limitsHugePages: boolean;
  /** The CNI plugin for pods that ask for a bandwidth is there. */
  readonly limitsBandwidth: boolean;
  readonly programs: { readonly [name in ProgramName]: string };
}

/** Where CNI is from, where it is not all ours. */
export interface CniFolders {
  /** Somebody else's configurations; the first by name says how pods are joined. Absent: one of our own. */
  readonly confDir?: string;
  /** Plugins. Absent: the machine's. */
  readonly binDir?: string;
}

/** The programs of Debian's packages containerd, runc, containernetworking-plugins, iptables and util-linux. */
export type ProgramName = 'containerd' | 'shim' | 'ctr' | 'runc' | 'cni' | 'iptables' | 'unshare' | 'nsenter';

/** Whether this machine can run a private containerd. */
export interface ContainerdDetection {
  readonly usable: boolean;
  readonly missing: readonly string[];
  readonly found: { readonly [program: string]: string };
}

const SEARCH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
/** The search path that containerd and its children get. */
export const PROGRAM_PATH = SEARCH.join(':');
const CNI_FOLDERS = ['/usr/lib/cni', '/opt/cni/bin', '/usr/libexec/cni'];
const CNI_PLUGINS = ['bridge', 'host-local', 'loopback', 'portmap'];
/** Every sandbox has one of its own, whatever the configuration says. */
const LOOPBACK = ['loopback'];
const FILES: { readonly [name in Exclude<ProgramName, 'cni'>]: string } = {
  containerd: 'containerd',
  shim: 'containerd-shim-runc-v2',
  ctr: 'ctr',
  runc: 'runc',
  iptables: 'iptables',
  unshare: 'unshare',
  nsenter: 'nsenter',
};
const CAP_SYS_RESOURCE = 24n;
const OVERLAYFS_MAGIC = 0x794c7630;

/** Looks for what `startContainerd` needs: programs, CNI plugins and root. Changes nothing. */
export async function detectContainerd({ confDir, binDir }: CniFolders = {}): Promise<ContainerdDetection> {
  const found: { [program: string]: string } = {};
  const missing: string[] = [];
  for (const [name, file] of Object.entries(FILES)) {
    const path = await firstExecutable(SEARCH.map((folder) => `${folder}/${file}`));
    if (path === undefined) missing.push(file);
    else found[name] = path;
  }
  const folders = binDir === undefined ? CNI_FOLDERS : [binDir];
  const cni = await findPluginFolder(folders, confDir === undefined ? CNI_PLUGINS : LOOPBACK);
  if (cni === undefined) missing.push(binDir === undefined ? 'CNI plugins' : `CNI plugins in ${binDir}`);
  else found['cni'] = cni;
  if (process.getuid?.() !== 0) missing.push('root');
  return { usable: missing.length === 0, missing, found };
}

/** `stateDir` exists already: the snapshotter depends on its file system. */
export async function readHostFacts(stateDir: string, found: ContainerdDetection['found']): Promise<HostFacts> {
  const programs = { ...FILES, cni: '', ...found };
  const [hybridCgroups, raisesLimits, apparmor, overlay, bandwidth, limitsHugePages] = await Promise.all([
    hasHybridCgroups(),
    canRaiseLimits(),
    readApparmor(),
    canOverlay(stateDir),
    firstExecutable([`${programs.cni}/bandwidth`]),
    canLimitHugePages(),
  ]);
  return {
    hybridCgroups,
    canRaiseLimits: raisesLimits,
    apparmor,
    snapshotter: overlay ? 'overlayfs' : 'native',
    limitsBandwidth: bandwidth !== undefined,
    limitsHugePages,
    programs,
  };
}

/** Where the CNI plugins are; undefined: nowhere. */
export async function findPluginFolder(
  folders: readonly string[] = CNI_FOLDERS,
  plugins: readonly string[] = CNI_PLUGINS,
): Promise<string | undefined> {
  for (const folder of folders) {
    const all = await Promise.all(plugins.map((plugin) => firstExecutable([`${folder}/${plugin}`])));
    if (all.every((path) => path !== undefined)) return folder;
  }
  return undefined;
}

async function firstExecutable(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const there = await access(path, constants.X_OK).then(
      () => true,
      // Not there or not to be run: the next place is tried.
      () => false,
    );
    if (there) return path;
  }
  return undefined;
}

/** Whether anybody on this machine may lower an oom_score_adj. */
export async function canRaiseLimits(): Promise<boolean> {
  const status = await readFile('/proc/self/status', 'utf8');
  const bounding = BigInt(`0x${/^CapBnd:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  return ((bounding >> CAP_SYS_RESOURCE) & 1n) === 1n;
}

async function readApparmor(): Promise<boolean> {
  // A kernel without AppArmor has no such file.
  const enabled = await readFile('/sys/module/apparmor/parameters/enabled', 'utf8').catch(() => 'N');
  return enabled.startsWith('Y') && (await firstExecutable(['/sbin/apparmor_parser'])) !== undefined;
}

/** In a hierarchy of its own (v1), or in the only one (v2); where both are, containers are in v1's. `mount`: of control groups. */
export async function canLimitHugePages(mount = '/sys/fs/cgroup'): Promise<boolean> {
  const own = await access(`${mount}/hugetlb`).then(
    () => true,
    // Not there: the kernel has it elsewhere, or not at all.
    () => false,
  );
  // Only where there is no other hierarchy is it here.
  const unified = await readFile(`${mount}/cgroup.controllers`, 'utf8').catch(() => '');
  return own || unified.trim().split(' ').includes('hugetlb');
}

/** An overlay cannot have its upper layer on another overlay, as in a container. */
async function canOverlay(stateDir: string): Promise<boolean> {
  const known = await readFile('/proc/filesystems', 'utf8');
  return /\toverlay$/m.test(known) && (await statfs(stateDir)).type !== OVERLAYFS_MAGIC;
}
