import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { openDataDir } from './data-dir.ts';
import { noteProcess, runningProcesses } from './processes.ts';

test('components that run are known until they forget themselves; notes of the dead go', (t) => {
  const root = makeTestFolder().path;
  t.after(() => rmSync(root, { recursive: true }));
  const dataDir = openDataDir(root, () => undefined);
  const forget = noteProcess(dataDir, 'kubelet');
  const stale = join(root, 'run-apiserver-1.json');
  writeFileSync(stale, '{"pid":1,"startTicks":"another life"}');
  writeFileSync(join(root, 'run-apiserver-2.json.tmp'), 'x');
  assert.deepEqual(
    runningProcesses(dataDir).map(({ component, pid }) => [component, pid]),
    [['kubelet', process.pid]],
  );
  assert.equal(existsSync(stale), false);
  forget();
  assert.deepEqual(runningProcesses(dataDir), []);
});
