import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { makeTestFolder } from '@binnacle/base/testing';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, '../../launch.mjs');
const root = makeTestFolder().path;
const started: ChildProcess[] = [];

after(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(root, { recursive: true });
});

function start(...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM, 'kubelet', '--runtime=simulated', '--node-name=n1', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  return child;
}

async function firstLine(stream: ChildProcess['stdout']): Promise<string> {
  assert.ok(stream !== null);
  for await (const line of createInterface(stream)) return line;
  throw new assert.AssertionError({ message: 'it ended without a line' });
}

function ask(port: number, path: string, method = 'GET'): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, method, rejectUnauthorized: false }, (response) => {
      let text = `${response.statusCode ?? 0} `;
      response.on('data', (part: Buffer) => (text += part.toString()));
      response.on('end', () => resolve(text));
    });
    call.on('error', reject);
    call.end();
  });
}

test('a kubelet without an API server stays, answers readers on loopback, shows what it refuses, and down stops it', async () => {
  const [data, manifests] = [join(root, 'data'), join(root, 'manifests')];
  mkdirSync(manifests);
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    spec: { containers: [{ name: 'c', image: 'x' }] },
  };
  writeFileSync(join(manifests, 'a.json'), JSON.stringify(pod));
  writeFileSync(join(manifests, 'bad.yaml'), 'apiVersion: v1\nkind: ReplicationController\n');
  const child = start('--data-dir', data, '--pod-manifest-path', manifests, '--kubelet-port=0');
  const exit = once(child, 'exit');
  const { port } = JSON.parse(await firstLine(child.stdout)) as { port: number };
  assert.equal(await ask(port, '/healthz'), '200 ok');
  assert.match(await ask(port, '/pods'), /^200 .*"name":"a-n1"/);
  assert.match(await ask(port, '/run/default/a-n1/c?cmd=ls', 'POST'), /^403 Forbidden \(user=system:anonymous/);
  const { stdout } = await run(process.execPath, [PROGRAM, 'kubelet', 'pods', '--data-dir', data]);
  assert.match(stdout, /^default +a-n1 /m);
  assert.match(stdout, /^bad.yaml .*ReplicationController/m);
  const { stderr } = await run(process.execPath, [PROGRAM, 'down', '--delete', '--data-dir', data]);
  assert.match(stderr, new RegExp(`stopped the kubelet \\(pid ${child.pid}\\), deleted its data`));
  assert.deepEqual(await exit, [0, null]);
});

test('asked to stop while it waits for an API server that is away, it stops', async () => {
  const kubeconfig = join(root, 'kubeconfig');
  const named = {
    clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1', 'insecure-skip-tls-verify': true } }],
  };
  const user = {
    users: [{ name: 'a', user: { token: 't' } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
  };
  writeFileSync(
    kubeconfig,
    JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...named, ...user, 'current-context': 'a' }),
  );
  const child = start('--data-dir', join(root, 'other'), '--kubeconfig', kubeconfig, '--kubelet-port=0');
  const exit = once(child, 'exit');
  await firstLine(child.stderr);
  const asked = performance.now();
  child.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null]);
  assert.ok(performance.now() - asked < 4000, 'it does not wait out what was under way');
});
