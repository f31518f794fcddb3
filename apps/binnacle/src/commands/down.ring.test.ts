import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { removeCgroup } from '@binnacle/runtime/cri';
import { openDataDir } from '../host/data-dir.ts';
import { down } from './down.ts';

const GROUPS = '/sys/fs/cgroup';
const isOne = existsSync(join(GROUPS, 'cgroup.controllers'));
const skip = process.getuid?.() === 0 && existsSync(GROUPS) ? false : 'control groups are made by root, on Linux';

test(
  'the group of pods goes though a private containerd, before an engine, had failed at its start',
  { skip },
  async (t) => {
    const folder = makeTestFolder().path;
    t.after(() => rmSync(folder, { recursive: true }));
    const root = join(isOne ? GROUPS : join(GROUPS, 'pids'), basename(folder));
    mkdirSync(join(root, 'kubepods'), { recursive: true });
    t.after(() => removeCgroup(`/${basename(folder)}`));
    const dataDir = openDataDir(join(folder, 'data'));
    const record = { podCidr: '10.0.0.0/24', cgroupRoots: [`/${basename(folder)}/kubepods`] };
    writeFileSync(join(dataDir.root, 'down.json'), JSON.stringify(record), { mode: 0o600 });
    await down({ dataDir: dataDir.root });
    assert.equal(existsSync(join(root, 'kubepods')), false);
    assert.equal(existsSync(root), true, 'what somebody made for them stays');
  },
);
