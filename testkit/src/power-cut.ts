import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isRunning, pidsByCommand, podCgroups, podLinks } from './container.ts';
import { lookUntil } from './look-until.ts';

const run = promisify(execFile);

/**
 * What the power's end does to a node whose `binnacle` was killed: its containerd, all shims and all of its pods' processes
 * end at once; mounts, links and control groups are no more. What is on the disk stays, and so do rules of address translation,
 * which a machine would lose.
 */
export async function cutPower(dataDir: string, podUids: readonly string[]): Promise<void> {
  const containerd = join(dataDir, 'containerd');
  // First those that would clear away behind the others.
  const owners = pidsByCommand(containerd).filter((pid) => pid !== process.pid);
  const pods = podCgroups(podUids).flatMap(processesIn);
  const all = [...new Set([...owners, ...pods])];
  for (const pid of all) kill(pid);
  await lookUntil({
    what: 'all processes of the node to end',
    look: () => all.filter(isRunning),
    until: (left) => left.length === 0,
  });
  for (const point of mountsBelow(dataDir).toReversed()) await run('umount', ['--lazy', point]);
  // Ends of pods go with their namespaces, which a moment ago somebody had.
  const [bridge = ''] = podLinks(dataDir);
  if (bridge !== '') await run('ip', ['link', 'delete', bridge]);
  for (const group of podCgroups(podUids)) removeGroup(group);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'ESRCH') throw error;
  }
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder, { withFileTypes: true });
  return found.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

function processesIn(group: string): number[] {
  const own = readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
  return [...own, ...foldersIn(group).flatMap(processesIn)];
}

function removeGroup(group: string): void {
  for (const below of foldersIn(group)) removeGroup(below);
  rmdirSync(group);
}

function mountsBelow(folder: string): string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return lines.map((line) => line.split(' ')[4] ?? '').filter((point) => point.startsWith(`${folder}/`));
}
