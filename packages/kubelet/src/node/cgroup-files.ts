import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { groupText } from '../cgroup/group-text.ts';
import { PathError } from '../errors.ts';
import type { GroupValues } from '../ports.ts';
import { codeOf, exists, orAbsent } from './absent.ts';

/** By upstream: what a group that pods are to be below has to have, as far as the machine has it. */
const NEEDED_V2 = ['cpu', 'cpuset', 'memory', 'hugetlb', 'pids'];
const NEEDED_V1 = ['cpu', 'cpuacct', 'cpuset', 'memory', 'systemd', 'pids', 'hugetlb'];

/** Why pods' groups cannot be made below this one, in upstream's words; undefined: they can. Changes nothing. */
export async function groupTrouble(path: string, mount = '/sys/fs/cgroup'): Promise<string | undefined> {
  const has = await controllersOf(mount);
  if (has === undefined) {
    const hierarchies = await which(NEEDED_V1, (name) => exists(`${mount}/${name}`));
    const missing = await which(hierarchies, async (name) => !(await exists(`${mount}/${name}${path}`)));
    if (missing.length === 0) return undefined;
    const paths = missing.map((name) => `${mount}/${name}${path}`).join(', ');
    return `cgroup ${groupText(path)} has some missing paths: ${paths}`;
  }
  const given = await controllersOf(`${mount}${path}`);
  if (given === undefined) return `cgroup ${groupText(path)} has some missing paths: ${mount}${path}`;
  const missing = NEEDED_V2.filter((name) => has.includes(name) && !given.includes(name)).toSorted();
  return missing.length === 0
    ? undefined
    : `cgroup ${groupText(path)} has some missing controllers: ${missing.join(', ')}`;
}

/** Of v2; undefined: there is no such group, or the machine has v1. */
async function controllersOf(group: string): Promise<readonly string[] | undefined> {
  const text = await orAbsent(readFile(`${group}/cgroup.controllers`, 'utf8'));
  return text?.trim().split(' ');
}

async function which(names: readonly string[], holds: (name: string) => Promise<boolean>): Promise<readonly string[]> {
  const held = await Promise.all(names.map(holds));
  return names.filter((_, at) => held[at] === true);
}

const V2_CONTROLLERS = ['cpu', 'memory', 'pids', 'hugetlb'] as const;

/** What v2 weighs with: 1 to 10000 where v1's shares go from 2 to 262144; as runtimes translate it. */
export function weightOf(shares: number): number {
  return 1 + Math.floor(((Math.max(2, shares) - 2) * 9999) / 262_142);
}

/**
 * Sets a control group, made where it is missing, below `mount`: in v1's hierarchies of cpu and memory, or in v2's one.
 * A controller that the machine does not have is passed over. Throws PathError with what the kernel answered.
 */
export async function setGroup(mount: string, path: string, values: GroupValues): Promise<void> {
  if (await exists(`${mount}/cgroup.controllers`)) {
    await setUnified(mount, path, values);
    return;
  }
  await setV1(`${mount}/cpu`, path, cpuFilesV1(values));
  const { memoryLimitBytes, processesMax } = values;
  const memory = memoryLimitBytes === undefined ? [] : [['memory.limit_in_bytes', String(memoryLimitBytes)] as const];
  await setV1(`${mount}/memory`, path, memory);
  const processes = processesMax === undefined ? [] : [['pids.max', limitOf(processesMax)] as const];
  await setV1(`${mount}/pids`, path, processes);
  const pages = (values.hugePageLimits ?? []).map(
    ({ pageSize, limitBytes }) => [`hugetlb.${pageSize}.limit_in_bytes`, String(limitBytes)] as const,
  );
  await setV1(`${mount}/hugetlb`, path, pages);
}

function limitOf(value: number): string {
  return value < 0 ? 'max' : String(value);
}

type Setting = readonly [file: string, value: string];

function cpuFilesV1({ cpuShares, cpuQuotaUs, cpuPeriodUs }: GroupValues): readonly Setting[] {
  return [
    ...(cpuShares === undefined ? [] : [['cpu.shares', String(cpuShares)] as const]),
    ...(cpuPeriodUs === undefined ? [] : [['cpu.cfs_period_us', String(cpuPeriodUs)] as const]),
    ...(cpuQuotaUs === undefined ? [] : [['cpu.cfs_quota_us', String(cpuQuotaUs)] as const]),
  ];
}

async function setV1(hierarchy: string, path: string, settings: readonly Setting[]): Promise<void> {
  if (settings.length === 0 || !(await exists(hierarchy))) return;
  await mkdir(`${hierarchy}${path}`, { recursive: true });
  for (const setting of settings) await write(`${hierarchy}${path}`, setting);
}

async function setUnified(mount: string, path: string, values: GroupValues): Promise<void> {
  const group = `${mount}${path}`;
  await mkdir(group, { recursive: true });
  await enableAbove(mount, group);
  const { cpuShares, cpuQuotaUs, cpuPeriodUs, memoryLimitBytes, processesMax } = values;
  if (cpuShares !== undefined) await write(group, ['cpu.weight', String(weightOf(cpuShares))]);
  if (cpuQuotaUs !== undefined) await write(group, ['cpu.max', `${limitOf(cpuQuotaUs)} ${cpuPeriodUs ?? 100_000}`]);
  if (memoryLimitBytes !== undefined) await write(group, ['memory.max', limitOf(memoryLimitBytes)]);
  if (processesMax !== undefined && (await exists(`${group}/pids.max`)))
    await write(group, ['pids.max', limitOf(processesMax)]);
  for (const { pageSize, limitBytes } of values.hugePageLimits ?? []) {
    const file = `hugetlb.${pageSize}.max`;
    if (await exists(`${group}/${file}`)) await write(group, [file, String(limitBytes)]);
  }
}

/** In v2 a group has the controllers that its parents hand down. */
async function enableAbove(mount: string, group: string): Promise<void> {
  const parents: string[] = [];
  for (let at = dirname(group); at.startsWith(mount); at = dirname(at)) parents.unshift(at);
  for (const parent of parents) {
    const [has, handed] = await Promise.all(
      ['cgroup.controllers', 'cgroup.subtree_control'].map(async (file) =>
        (await readFile(`${parent}/${file}`, 'utf8')).trim().split(' '),
      ),
    );
    const missing = V2_CONTROLLERS.filter((name) => has?.includes(name) === true && handed?.includes(name) === false);
    if (missing.length > 0)
      await write(parent, ['cgroup.subtree_control', missing.map((name) => `+${name}`).join(' ')]);
  }
}

async function write(group: string, [file, value]: Setting): Promise<void> {
  try {
    await writeFile(`${group}/${file}`, value, { flag: 'r+' });
  } catch (error) {
    throw new PathError(`${group}/${file}`, `cannot be set to ${value}: ${codeOf(error)}`);
  }
}
