import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { openDataDir } from './data-dir.ts';
import type { DataDir } from './data-dir.ts';
import { readDownRecord, rememberForDown, rememberGroup } from './down-record.ts';

describe('groups of pods that `down` takes back', () => {
  let folder: string;
  let dataDir: DataDir;
  beforeEach(() => {
    folder = makeTestFolder().path;
    dataDir = openDataDir(join(folder, 'data'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const written = (record: object): void => {
    mkdirSync(dataDir.root, { recursive: true });
    writeFileSync(join(dataDir.root, 'down.json'), JSON.stringify(record));
  };
  const groups = (): readonly string[] | undefined => readDownRecord(dataDir).cgroupRoots;

  test('all that there were, each once, though the configuration changed', () => {
    assert.equal(groups(), undefined);
    rememberGroup(dataDir);
    rememberForDown(dataDir, { podCidr: '10.0.0.0/24' });
    rememberGroup(dataDir, '/a/kubepods');
    rememberGroup(dataDir, '/a/kubepods');
    rememberGroup(dataDir);
    assert.deepEqual(groups(), ['/kubepods', '/a/kubepods']);
  });

  test('of a record from before there were several', () => {
    written({ podCidr: '10.0.0.0/24' });
    rememberGroup(dataDir, '/a/kubepods');
    assert.deepEqual(groups(), ['/kubepods', '/a/kubepods']);
    written({ podCidr: '10.0.0.0/24', cgroupRoot: '/kubepods-bn-1' });
    assert.deepEqual(groups(), ['/kubepods-bn-1']);
  });

  test('none that leads elsewhere', () => {
    written({ cgroupRoots: ['/kubepods', '/../../home', '/kubepods/..', '', 7, null] });
    assert.deepEqual(groups(), ['/kubepods']);
    written({ cgroupRoot: '/../etc' });
    assert.deepEqual(groups(), []);
  });
});
