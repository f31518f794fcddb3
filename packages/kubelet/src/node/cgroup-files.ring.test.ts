import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { PathError } from '../errors.ts';
import { groupTrouble, setGroup, weightOf } from './cgroup-files.ts';

/** A folder that looks like a mount of control groups, with these files. */
async function inMount(files: { [path: string]: string }, body: (mount: string) => Promise<void>): Promise<void> {
  const mount = makeTestFolder().path;
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(join(mount, path, '..'), { recursive: true });
      await writeFile(join(mount, path), content);
    }
    await body(mount);
  } finally {
    await rm(mount, { recursive: true });
  }
}

const ALL = { cpuShares: 1024, cpuQuotaUs: 50_000, cpuPeriodUs: 100_000, memoryLimitBytes: 4096, processesMax: 9 };
const PAGES = { hugePageLimits: [{ pageSize: '2MB', limitBytes: 4 << 20 }] };

test('v1: each hierarchy has its own', async () => {
  const names = ['cpu/k/p/cpu.shares', 'cpu/k/p/cpu.cfs_quota_us', 'cpu/k/p/cpu.cfs_period_us'];
  const files = [...names, 'memory/k/p/memory.limit_in_bytes', 'pids/k/p/pids.max'];
  await inMount(Object.fromEntries(files.map((file) => [file, ''])), async (mount) => {
    await setGroup(mount, '/k/p', ALL);
    const read = await Promise.all(files.map((file) => readFile(join(mount, file), 'utf8')));
    assert.deepEqual(read, ['1024', '50000', '100000', '4096', '9']);
  });
});

test('v2: one hierarchy, whose parents hand down what they have', async () => {
  const files = {
    'cgroup.controllers': 'cpu memory pids\n',
    'cgroup.subtree_control': 'memory\n',
    'k/cgroup.controllers': 'cpu memory pids\n',
    'k/cgroup.subtree_control': '\n',
    'k/p/cpu.weight': '',
    'k/p/cpu.max': '',
    'k/p/memory.max': '',
    'k/p/pids.max': '',
  };
  await inMount(files, async (mount) => {
    await setGroup(mount, '/k/p', { ...ALL, memoryLimitBytes: -1 });
    const read = (file: string): Promise<string> => readFile(join(mount, file), 'utf8');
    assert.deepEqual(
      [
        await read('k/p/cpu.weight'),
        await read('k/p/cpu.max'),
        await read('k/p/memory.max'),
        await read('k/p/pids.max'),
      ],
      ['39', '50000 100000', 'max', '9'],
    );
    assert.match(await read('cgroup.subtree_control'), /^\+cpu/);
    assert.match(await read('k/cgroup.subtree_control'), /^\+cpu \+memory \+pids/);
  });
});

test('a machine without a controller, and a kernel that refuses', async () => {
  await inMount({ 'cpu/x': '' }, async (mount) => {
    await setGroup(mount, '/k', { memoryLimitBytes: 1 });
    await assert.rejects(setGroup(mount, '/k', { cpuShares: 2 }), PathError);
  });
});

test('a group that pods are to be below: v1, also beside v2', async () => {
  await inMount(
    { 'cpu/a/b/x': '', 'memory/a/x': '', 'freezer/x': '', 'unified/cgroup.controllers': '' },
    async (mount) => {
      assert.equal(await groupTrouble('/a', mount), undefined);
      const missing = `cgroup ["a" "b"] has some missing paths: ${mount}/memory/a/b`;
      assert.equal(await groupTrouble('/a/b', mount), missing);
    },
  );
});

test('a group that pods are to be below: v2', async () => {
  const files = {
    'cgroup.controllers': 'cpuset cpu io memory pids\n',
    'a/cgroup.controllers': 'cpuset cpu memory pids\n',
    'b/cgroup.controllers': 'memory\n',
  };
  await inMount(files, async (mount) => {
    assert.equal(await groupTrouble('/a', mount), undefined);
    assert.equal(await groupTrouble('/b', mount), 'cgroup ["b"] has some missing controllers: cpu, cpuset, pids');
    assert.equal(await groupTrouble('/c', mount), `cgroup ["c"] has some missing paths: ${mount}/c`);
  });
});

test('weights', () => assert.deepEqual([0, 2, 1024, 262_144].map(weightOf), [1, 1, 39, 10_000]));

test('huge pages: a hierarchy of their own, a file of the only one, or nothing', async () => {
  await inMount({ 'hugetlb/k/hugetlb.2MB.limit_in_bytes': '' }, async (mount) => {
    await setGroup(mount, '/k', PAGES);
    assert.equal(await readFile(join(mount, 'hugetlb/k/hugetlb.2MB.limit_in_bytes'), 'utf8'), '4194304');
  });
  const has = { 'cgroup.controllers': 'hugetlb\n', 'cgroup.subtree_control': 'hugetlb\n' };
  await inMount({ ...has, 'k/hugetlb.2MB.max': '' }, async (mount) => {
    await setGroup(mount, '/k', PAGES);
    assert.equal(await readFile(join(mount, 'k/hugetlb.2MB.max'), 'utf8'), '4194304');
  });
  await inMount({ ...has, 'k/cgroup.procs': '' }, (mount) => setGroup(mount, '/k', PAGES));
  await inMount({ 'cpu/x': '' }, (mount) => setGroup(mount, '/k', PAGES));
});
