/** What control groups use, as the kernel counts it: in v1's hierarchies, or in v2's one. */
import { readFile, stat } from 'node:fs/promises';
import type { GroupUsage } from '../figures.ts';
import { exists, orAbsent } from './absent.ts';

const NANOS_PER_MICRO = 1_000;

/** v1 writes the largest number of pages where nothing is set. */
const NO_LIMIT = 2 ** 62;

/** Where the kernel counts what. */
interface Files {
  readonly cpu: string;
  readonly cpuNanos: (text: string) => number | undefined;
  readonly memory: string;
  readonly used: string;
  readonly limit: string;
  /** Its names in `memory.stat`; in v1 a group's own lines leave out what is in the groups below it. */
  readonly stat: { readonly [figure in 'rss' | 'faults' | 'majorFaults' | 'inactive']: string };
}

const V2: Files = {
  cpu: 'cpu.stat',
  cpuNanos: (text) => scaled(figure(text, 'usage_usec'), NANOS_PER_MICRO),
  memory: '',
  used: 'memory.current',
  limit: 'memory.max',
  stat: { rss: 'anon', faults: 'pgfault', majorFaults: 'pgmajfault', inactive: 'inactive_file' },
};

const V1: Files = {
  cpu: 'cpuacct.usage',
  cpuNanos: (text) => figure(`usage ${text}`, 'usage'),
  memory: '/memory',
  used: 'memory.usage_in_bytes',
  limit: 'memory.limit_in_bytes',
  stat: {
    rss: 'total_rss',
    faults: 'total_pgfault',
    majorFaults: 'total_pgmajfault',
    inactive: 'total_inactive_file',
  },
};

/** What a group and all below it use; undefined: there is none, or its memory is not counted. */
export async function readGroupUsage(mount: string, path: string): Promise<GroupUsage | undefined> {
  const files = (await isUnified(mount)) ? V2 : V1;
  const group = `${mount}${files.memory}${path}`;
  const read = (file: string): Promise<string> => readFile(file, 'utf8');
  const found = await orAbsent(
    Promise.all([
      stat(group),
      read(`${group}/${files.used}`),
      read(`${group}/${files.limit}`),
      read(`${group}/memory.stat`),
    ]),
  );
  if (found === undefined) return undefined;
  const cpu = await orAbsent(read(`${mount}${files === V1 ? '/cpuacct' : ''}${path}/${files.cpu}`));
  const [{ birthtimeMs, mtimeMs }, used, most, counted] = found;
  const usageBytes = Number(used);
  const limitBytes = Number(most);
  const cpuUsageNanos = cpu === undefined ? undefined : files.cpuNanos(cpu);
  const workingSetBytes = Math.max(0, usageBytes - (figure(counted, files.stat.inactive) ?? 0));
  return {
    startedAt: Math.floor(birthtimeMs || mtimeMs),
    ...(cpuUsageNanos === undefined ? {} : { cpuUsageNanos }),
    memory: {
      usageBytes,
      workingSetBytes,
      limitBytes: Number.isFinite(limitBytes) && limitBytes < NO_LIMIT ? limitBytes : -1,
      rssBytes: figure(counted, files.stat.rss) ?? 0,
      pageFaults: figure(counted, files.stat.faults) ?? 0,
      majorPageFaults: figure(counted, files.stat.majorFaults) ?? 0,
    },
  };
}

/**
 * The group that this process is in: of what is counted for it nothing else may be a part. Undefined where its CPU and its
 * memory are counted in different groups, or in that of the whole machine.
 */
export async function ownGroup(mount: string, proc = '/proc'): Promise<string | undefined> {
  const lines = ((await orAbsent(readFile(`${proc}/self/cgroup`, 'utf8'))) ?? '').split('\n');
  const groups = lines.map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  const pathOf = (controller: string): string | undefined =>
    groups.find((found) => found?.[1]?.split(',').includes(controller) === true)?.[2];
  const path = (await isUnified(mount)) ? pathOf('') : pathOf('memory');
  if (path === undefined || path === '/') return undefined;
  return (await isUnified(mount)) || pathOf('cpuacct') === path ? path : undefined;
}

function isUnified(mount: string): Promise<boolean> {
  return exists(`${mount}/cgroup.controllers`);
}

/** Of lines `name number` the one of that name. */
function figure(text: string, name: string): number | undefined {
  const found = new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

function scaled(value: number | undefined, by: number): number | undefined {
  return value === undefined ? undefined : value * by;
}
