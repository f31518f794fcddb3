import { readFile, readdir, rmdir, statfs } from 'node:fs/promises';
import { arch, availableParallelism, hostname, networkInterfaces, release, totalmem } from 'node:os';
import type { NodeAddress } from '@binnacle/api/core/v1';
import { validHostName } from '@binnacle/base';
import { readCpuTopology } from './cpu-topology.ts';
import { readHugePages, readNumaNodes } from './numa-nodes.ts';
import { setGroup } from './cgroup-files.ts';
import { ownGroup, readGroupUsage } from './group-usage.ts';
import type { GroupValues, Machine } from '../ports.ts';
import { readFilesystem, readNodeUsage } from './node-usage.ts';
import { measurePressure } from './pressure.ts';
import { subordinateIds } from './subordinate-ids.ts';
import { codeOf } from './absent.ts';

/** What cannot be read from the machine itself. */
export interface MachineOptions {
  /** Where pods' volumes live: its file system is the node's ephemeral storage. */
  readonly rootDirectory: string;
  /** The node's addresses, one of a family; default: that of the interface with the default route, else the first one. */
  readonly nodeIPs?: readonly string[];
  /** By default it has one of IPv6 too, where the machine has a global one. */
  readonly hasBothFamilies?: boolean;
  readonly hostname?: string;
  /** Where name servers stand; empty: there are none. Default `/etc/resolv.conf`. */
  readonly resolvConf?: string;
  /** Where control groups are mounted. */
  readonly cgroupMount?: string;
  /** Pods really run here: their control groups are set, and what the machine uses is measured. */
  readonly runsPods?: boolean;
}

/** What this machine is. Reads /proc and /sys once. */
export async function readMachine(options: MachineOptions): Promise<Machine> {
  const name = (options.hostname ?? validHostName(hostname())).toLowerCase();
  const disk = await diskBytes(options.rootDirectory);
  const cgroups = options.cgroupMount ?? '/sys/fs/cgroup';
  return {
    hostname: name,
    cpus: availableParallelism(),
    memoryBytes: totalmem(),
    ephemeralStorageBytes: disk,
    operatingSystem: process.platform === 'win32' ? 'windows' : process.platform,
    architecture: arch() === 'x64' ? 'amd64' : arch(),
    kernelVersion: release(),
    osImage: await osImage(),
    machineId: await textOf('/etc/machine-id'),
    systemUuid: (await textOf('/sys/class/dmi/id/product_uuid')) || (await textOf('/etc/machine-id')),
    bootId: await textOf('/proc/sys/kernel/random/boot_id'),
    addresses: addressesOf(options.nodeIPs ?? (await defaultAddresses(options.hasBothFamilies === true)), name),
    resolvConf: async () => (options.resolvConf === '' ? '' : textOf(options.resolvConf ?? '/etc/resolv.conf')),
    hostsFile: () => textOf('/etc/hosts'),
    pressure: () => measurePressure(options.rootDirectory),
    ...(options.runsPods === true
      ? {
          cpuTopology: () => readCpuTopology(),
          hugePages: await readHugePages(),
          numaNodes: () => readNumaNodes(),
          subordinateIds: (user: string) => subordinateIds(user),
          setCgroup: (path: string, values: GroupValues) => setGroup(cgroups, path, values),
          usage: () => readNodeUsage(options.rootDirectory),
          groupUsage: (path: string) => readGroupUsage(cgroups, path),
          ownGroup: () => ownGroup(cgroups),
          filesystem: (folder: string) => readFilesystem(folder),
        }
      : {}),
    removeCgroup: (path) => removeCgroup(cgroups, path),
  };
}

function addressesOf(ips: readonly string[], name: string): NodeAddress[] {
  const own = ips.map((address): NodeAddress => ({ type: 'InternalIP', address }));
  return [...own, { type: 'Hostname', address: name }];
}

/** Addresses of the interface that the default route leaves by; of IPv6 that interface's alone. */
async function defaultAddresses(hasBothFamilies: boolean): Promise<readonly string[]> {
  const routes = (await textOf('/proc/net/route')).split('\n').slice(1);
  const route = routes.map((line) => line.split('\t')).find((fields) => fields[1] === '00000000');
  const all = networkInterfaces();
  const preferred = route === undefined ? undefined : all[route[0] ?? ''];
  const six = preferred?.find((a) => a.family === 'IPv6' && !a.internal && a.scopeid === 0);
  const further = hasBothFamilies && six !== undefined ? [six.address] : [];
  for (const list of [preferred, ...Object.values(all)]) {
    const found = list?.find((a) => a.family === 'IPv4' && !a.internal);
    if (found !== undefined) return [found.address, ...further];
  }
  return ['127.0.0.1'];
}

async function osImage(): Promise<string> {
  const match = /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(await textOf('/etc/os-release'));
  return match?.[1] ?? process.platform;
}

async function diskBytes(path: string): Promise<number> {
  for (let at = path; ; at = at.slice(0, at.lastIndexOf('/')) || '/') {
    try {
      const { blocks, bsize } = await statfs(at);
      return blocks * bsize;
    } catch (error) {
      if (at === '/') throw error;
    }
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/\n$/, '');
  } catch (error) {
    // Not every machine tells everything; what is not told is empty.
    if (['ENOENT', 'EACCES', 'EPERM'].includes(codeOf(error))) return '';
    throw error;
  }
}

/** In the unified hierarchy, and in every v1 controller's; deepest first, because only empty groups can be removed. */
async function removeCgroup(mount: string, path: string): Promise<void> {
  const controllers = await namesIn(mount);
  await removeGroup(`${mount}${path}`);
  for (const controller of controllers) await removeGroup(`${mount}/${controller}${path}`);
}

/** A task that has ended leaves its group a little later. */
const LEAVING_TRIES = 20;
const LEAVING_MS = 25;

async function removeGroup(directory: string, tries = LEAVING_TRIES): Promise<void> {
  for (const name of await namesIn(directory)) await removeGroup(`${directory}/${name}`);
  try {
    await rmdir(directory);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EBUSY' && tries > 0) {
      await new Promise((resolve) => setTimeout(resolve, LEAVING_MS));
      return removeGroup(directory, tries - 1);
    }
    // EBUSY: somebody stays in it; ENOTDIR: a control file. Both are left.
    if (!['ENOENT', 'EBUSY', 'ENOTDIR', 'ENOTEMPTY', 'EPERM'].includes(code)) throw error;
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.filter((e) => e.isDirectory()).map((e) => e.name);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return [];
    throw error;
  }
}
