import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';

const MAIN = join(import.meta.dirname, '../main.ts');
const FULL = '/dev/full';
const UP = ['up', '--runtime', 'simulated', '--store', 'memory', '--listen', '127.0.0.1:0', '--dashboard', 'off'];
/** Every request is a line. */
const TOLD = ['--output', 'json', '-v', '4'];

const KUBECONFIG = `apiVersion: v1
kind: Config
clusters: [{name: a, cluster: {server: 'https://127.0.0.1:1'}}]
contexts: [{name: a, context: {cluster: a, user: a}}]
users: [{name: a, user: {token: a}}]
current-context: a
`;

/** What it says goes where `stderr` says; it is in a home of its own. */
function start(
  t: TestContext,
  args: readonly string[],
  stdio: readonly ['pipe' | number, 'pipe' | number],
  kubeconfig?: string,
) {
  const home = makeTestFolder().path;
  if (kubeconfig !== undefined) writeFileSync(join(home, 'config'), kubeconfig);
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, KUBECONFIG: join(home, 'config') };
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: home, env, stdio: ['ignore', ...stdio] });
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(home, { recursive: true });
  });
  return child;
}

function openFull(t: TestContext): number {
  const full = openSync(FULL, 'w');
  t.after(() => closeSync(full));
  return full;
}

/** What a component says when it is ready. */
async function ready({ stdout }: ReturnType<typeof start>): Promise<void> {
  assert.ok(stdout !== null);
  const { done } = await createInterface({ input: stdout })[Symbol.asyncIterator]().next();
  assert.notEqual(done, true, 'it ended before it was ready');
}

describe('what cannot be written', () => {
  test('a cluster lives on although its log is on a full disk', async (t) => {
    const child = start(t, [...UP, ...TOLD], ['pipe', openFull(t)]);
    await ready(child);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  test('a cluster lives on although nobody reads its log any more', async (t) => {
    const child = start(t, [...UP, ...TOLD], ['pipe', 'pipe']);
    child.stderr?.once('data', () => child.stderr?.destroy());
    await ready(child);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  test('what is loaded after the log was begun is found, whoever reads the log', async (t) => {
    // The kubeconfig is YAML, whose reader is loaded late.
    const child = start(t, ['dashboard', '--kubeconfig', 'config', '--output', 'json'], ['pipe', 'pipe'], KUBECONFIG);
    await ready(child);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  test('a command whose answer cannot be written fails, and says in a line why', async (t) => {
    const child = start(t, ['version'], [openFull(t), 'pipe']);
    const said = await Promise.all([child.stderr?.toArray(), once(child, 'exit')]);
    assert.deepEqual(said[1], [1, null]);
    assert.match(
      Buffer.concat(said[0] as Uint8Array[]).toString(),
      /^binnacle: the answer cannot be written: [^\n]*ENOSPC[^\n]*\n$/,
    );
  });

  test('a command ends without a word when nobody reads its answer any more', async (t) => {
    const child = start(t, ['version'], ['pipe', 'pipe']);
    child.stdout?.destroy();
    const said = await Promise.all([child.stderr?.toArray(), once(child, 'exit')]);
    assert.deepEqual(said, [[], [141, null]]);
  });
});
