import type { StatsFs } from 'node:fs';
import { readFile, stat, statfs } from 'node:fs/promises';
import type { DeviceUsage, FilesystemUsage, NodeUsage } from '../figures.ts';
import { orAbsent } from './absent.ts';
import { numberIn } from './number-in.ts';

/** What the kernel counts CPU time in for users: hundredths of a second, on every architecture. */
const NANOS_PER_TICK = 1e7;
const KIB = 1024;

/** What a machine uses now, from /proc and the file system of the pods. Throws where it cannot be read. */
export async function readNodeUsage(rootDirectory: string, proc = '/proc'): Promise<NodeUsage> {
  const [stat, meminfo, dev, load, maxPid, disk] = await Promise.all([
    readFile(`${proc}/stat`, 'utf8'),
    readFile(`${proc}/meminfo`, 'utf8'),
    readFile(`${proc}/net/dev`, 'utf8'),
    readFile(`${proc}/loadavg`, 'utf8'),
    readFile(`${proc}/sys/kernel/pid_max`, 'utf8'),
    statfs(rootDirectory),
  ]);
  const memory = (name: string): number => numberIn(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm'), meminfo) * KIB;
  const used = memory('MemTotal') - memory('MemFree');
  return {
    startedAt: numberIn(/^btime (\d+)$/m, stat) * 1000,
    cpuUsageNanos: cpuTicks(stat) * NANOS_PER_TICK,
    memoryAvailableBytes: memory('MemAvailable'),
    memoryUsageBytes: used,
    // Pages of files that nobody asked for lately are given back first: they do not count.
    memoryWorkingSetBytes: used - Math.min(used, memory('Inactive\\(file\\)')),
    filesystem: filesystemUsage(disk),
    interfaces: interfacesOf(dev),
    pids: numberIn(/\/(\d+) /, load),
    maxPids: numberIn(/^(\d+)/, maxPid),
  };
}

/** How full the file system of a folder is; undefined: there is no such folder. */
export async function readFilesystem(folder: string): Promise<DeviceUsage | undefined> {
  const found = await orAbsent(Promise.all([stat(folder, { bigint: true }), statfs(folder)]));
  if (found === undefined) return undefined;
  const [{ dev }, disk] = found;
  return { device: String(dev), usage: filesystemUsage(disk) };
}

function filesystemUsage({ blocks, bavail, bfree, bsize, files, ffree }: StatsFs): FilesystemUsage {
  return {
    availableBytes: bavail * bsize,
    capacityBytes: blocks * bsize,
    usedBytes: (blocks - bfree) * bsize,
    inodesFree: ffree,
    inodes: files,
    inodesUsed: files - ffree,
  };
}

/** Time that CPUs worked: all but idle and waiting; guests are in `user` already. */
function cpuTicks(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (/^cpu +(.*)$/m.exec(stat)?.[1] ?? '')
    .split(' ')
    .map(Number);
  return user + nice + system + irq + softirq + steal;
}

/** The interfaces of the node itself, not the ends of pods' cables. */
function interfacesOf(dev: string): NonNullable<NodeUsage['interfaces']> {
  return dev
    .split('\n')
    .slice(2)
    .flatMap((line) => {
      const [name = '', counts] = line.trim().split(':');
      if (counts === undefined || name === 'lo' || name.startsWith('veth')) return [];
      const numbers = counts.trim().split(/\s+/).map(Number);
      const [rxBytes = 0, , rxErrors = 0] = numbers;
      return [{ name, rxBytes, rxErrors, txBytes: numbers[8] ?? 0, txErrors: numbers[10] ?? 0 }];
    });
}
