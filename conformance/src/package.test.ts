/** The published package: packed, installed into an empty folder, and used with plain Node. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findKubectl, kubectlOutput, makeFolder } from '@binnacle/testkit';
import type { TestFolder } from '@binnacle/testkit';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let folder: TestFolder;
before(() => {
  folder = makeFolder();
  execFileSync(process.execPath, [join(ROOT, 'tools/release/build.ts'), '--pack'], { cwd: ROOT, stdio: 'pipe' });
  const tarball = readdirSync(join(ROOT, 'dist')).find((name) => name.endsWith('.tgz'));
  assert.ok(tarball, 'npm pack made a tarball');
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder.path];
  execFileSync('npm', ['install', ...quiet, join(ROOT, 'dist', tarball)], { cwd: folder.path, stdio: 'pipe' });
});
after(() => folder.remove());

test('it has no dependencies and brings up a cluster that kubectl can use', async () => {
  assert.deepEqual(
    readdirSync(join(folder.path, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['binnacle'],
  );
  const program = join(folder.path, 'node_modules/binnacle/bin/binnacle.mjs');
  const kubeconfig = join(folder.path, 'kubeconfig');
  const dataDir = join(folder.path, 'data');
  const flags = ['--data-dir', dataDir, '--kubeconfig', kubeconfig, '--listen', '127.0.0.1:0', '--output', 'json'];
  const child = spawn(process.execPath, [program, 'up', '--runtime', 'simulated', ...flags], {
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  try {
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout.setEncoding('utf8').once('data', resolve);
      void ended.then((code) => reject(new RangeError(`the program ended with ${code}`)));
    });
    const ready = JSON.parse(line) as { listening: number; ready: number; nodeReady: number; pid: number };
    assert.equal(ready.pid, child.pid);
    assert.ok(ready.listening <= ready.ready && ready.ready <= ready.nodeReady);
    const kubectl = await findKubectl();
    assert.ok(kubectl, 'there is a kubectl');
    assert.match(await kubectlOutput(kubectl, kubeconfig, ['get', 'nodes']), /node-0\s+Ready/);
  } finally {
    child.kill('SIGTERM');
  }
  assert.equal(await ended, 0);
});
