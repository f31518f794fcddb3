import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { access, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { hasHybridCgroups, removeCgroup } from './cgroups.ts';

const NAME = `/binnacle-cgroup-test-${process.pid}`;

describe('cgroups', () => {
  let folder: string;
  before(async () => {
    folder = makeTestFolder().path;
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test('hybrid machines are told from pure ones', async () => {
    const make = async (name: string, files: readonly string[]): Promise<string> => {
      for (const file of files) {
        await mkdir(join(folder, name, file, '..'), { recursive: true });
        await writeFile(join(folder, name, file), '');
      }
      return join(folder, name);
    };
    assert.equal(await hasHybridCgroups(await make('v1', ['memory/tasks'])), false);
    assert.equal(await hasHybridCgroups(await make('v2', ['cgroup.controllers'])), false);
    assert.equal(await hasHybridCgroups(await make('both', ['memory/tasks', 'unified/cgroup.controllers'])), true);
  });

  test('a tree goes from every hierarchy, links are not followed', async () => {
    const root = join(folder, 'tree');
    for (const path of ['memory/kubepods/podx/c1', 'memory/kubepods/pody', 'pids/kubepods/podx']) {
      await mkdir(join(root, path), { recursive: true });
    }
    await symlink('memory', join(root, 'mem'));
    assert.deepEqual(await removeCgroup('/kubepods/podx', root), []);
    assert.deepEqual(await readdir(join(root, 'memory/kubepods')), ['pody']);
    assert.deepEqual(await readdir(join(root, 'pids/kubepods')), []);
    assert.deepEqual(await removeCgroup('/kubepods/podx', root), []);
  });

  test('v2 has one hierarchy, whose folders are not hierarchies', async () => {
    const root = join(folder, 'unified');
    await mkdir(join(root, 'kubepods/podx/c1'), { recursive: true });
    await mkdir(join(root, 'other/kubepods/podx'), { recursive: true });
    await writeFile(join(root, 'cgroup.controllers'), 'cpu memory');
    assert.deepEqual(await removeCgroup('/kubepods/podx', root), []);
    await assert.rejects(access(join(root, 'kubepods/podx')));
    await access(join(root, 'other/kubepods/podx'));
  });

  test('a cgroup with a living process stays until it ends', async () => {
    const hierarchy = (await hasCgroup2()) ? '/sys/fs/cgroup' : '/sys/fs/cgroup/pids';
    const path = join(hierarchy, NAME, 'pod');
    await mkdir(path, { recursive: true });
    const child: ChildProcess = spawn('sleep', ['100'], { stdio: 'ignore' });
    await writeFile(join(path, 'cgroup.procs'), String(child.pid));
    assert.deepEqual(await removeCgroup(NAME), [path, join(hierarchy, NAME)]);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    assert.deepEqual(await removeCgroup(NAME), []);
    await assert.rejects(access(join(hierarchy, NAME)));
  });
});

async function hasCgroup2(): Promise<boolean> {
  return await access('/sys/fs/cgroup/cgroup.controllers').then(
    () => true,
    () => false,
  );
}
