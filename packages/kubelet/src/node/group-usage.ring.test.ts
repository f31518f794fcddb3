import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ownGroup, readGroupUsage } from './group-usage.ts';

type Tree = { readonly [path: string]: string };

/** A folder with these files. */
async function inFolder<T>(files: Tree, body: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'binnacle-group-'));
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(join(folder, path, '..'), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    return await body(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const V1_STAT =
  'cache 1\nrss 1\ninactive_file 7\ntotal_rss 20\ntotal_pgfault 3\ntotal_pgmajfault 2\ntotal_inactive_file 30\n';
const V1 = {
  'memory/k/memory.usage_in_bytes': '100\n',
  'memory/k/memory.limit_in_bytes': '200\n',
  'memory/k/memory.stat': V1_STAT,
};
const V2 = {
  'cgroup.controllers': '',
  'k/memory.current': '100',
  'k/memory.max': 'max\n',
  'k/memory.stat': 'anon 20\npgfault 3\npgmajfault 2\ninactive_file 7\n',
};
const COUNTED = { usageBytes: 100, rssBytes: 20, pageFaults: 3, majorPageFaults: 2 };

const usages: readonly [name: string, files: Tree, expected: object | undefined][] = [
  ['v1, with what is below it', V1, { memory: { ...COUNTED, workingSetBytes: 70, limitBytes: 200 } }],
  [
    'v1, with its CPU',
    { ...V1, 'cpuacct/k/cpuacct.usage': '5000\n' },
    { cpuUsageNanos: 5_000, memory: { ...COUNTED, workingSetBytes: 70, limitBytes: 200 } },
  ],
  [
    'v1 without a limit',
    {
      ...V1,
      'memory/k/memory.usage_in_bytes': '10',
      'memory/k/memory.limit_in_bytes': '9223372036854771712',
    },
    { memory: { ...COUNTED, usageBytes: 10, workingSetBytes: 0, limitBytes: -1 } },
  ],
  [
    'v2',
    { ...V2, 'k/cpu.stat': 'usage_usec 7\nuser_usec 1\n' },
    { cpuUsageNanos: 7_000, memory: { ...COUNTED, workingSetBytes: 93, limitBytes: -1 } },
  ],
  ['none', { 'memory/x': '' }, undefined],
];

for (const [name, files, expected] of usages)
  test(`what a group uses: ${name}`, () =>
    inFolder(files, async (mount) => {
      const found = await readGroupUsage(mount, '/k');
      if (found === undefined) return assert.equal(found, expected);
      const { startedAt, ...usage } = found;
      assert.deepEqual(usage, expected);
      assert.ok(startedAt > 0);
      return undefined;
    }));

const V1_ONE = '5:memory:/system.slice/k.service\n4:cpu,cpuacct:/system.slice/k.service\n0::/system.slice/k.service\n';
const groups: readonly [name: string, mount: Tree, cgroup: string, expected: string | undefined][] = [
  ['v2', { 'cgroup.controllers': '' }, '0::/system.slice/k.service\n', '/system.slice/k.service'],
  ['v1, the same in both', { 'memory/x': '' }, V1_ONE, '/system.slice/k.service'],
  ['v1, counted in different groups', { 'memory/x': '' }, '5:memory:/a\n4:cpuacct:/\n', undefined],
  ['that of the whole machine', { 'cgroup.controllers': '' }, '0::/\n', undefined],
  ['none', { 'memory/x': '' }, '', undefined],
];

for (const [name, mount, cgroup, expected] of groups)
  test(`the group of this process: ${name}`, () =>
    inFolder({ ...mount, 'proc/self/cgroup': cgroup }, async (folder) =>
      assert.equal(await ownGroup(folder, join(folder, 'proc')), expected),
    ));
