import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { Scope, silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import type { Kubelet } from '../kubelet.ts';
import { HealthChecks } from '../registration/health.ts';
import { serveLocalSocket } from './local-socket.ts';

const kubelet = {
  config: { hasDebugging: true },
  health: new HealthChecks({ ping: () => true }),
  pods: () => [],
  refusedManifests: () => new Map([['a.yaml', 'no pod']]),
} as unknown as Kubelet;

function ask(socketPath: string, path: string, method = 'GET'): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, path, method }, (response) => {
      let text = `${response.statusCode ?? 0} `;
      response.on('data', (part: Buffer) => (text += part.toString()));
      response.on('end', () => resolve(text));
    });
    call.on('error', reject);
    call.end();
  });
}

test('readers of the folder may ask, nobody may change, and nothing stays', async (t) => {
  const root = makeTestFolder().path;
  t.after(() => rmSync(root, { recursive: true }));
  const path = join(root, 'kubelet', 'kubelet.sock');
  const scope = new Scope('test');
  const options = { kubelet, clock: realClock, log: silentLogger, scope };
  await serveLocalSocket({ ...options, path });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(await ask(path, '/refusedmanifests'), '200 {"items":[{"file":"a.yaml","reason":"no pod"}]}');
  assert.equal(await ask(path, '/run/a/b/c?cmd=ls', 'POST'), '405 ');
  assert.equal(await ask(path, '/exec/a/b/c'), '400 Upgrade request required');
  await serveLocalSocket({ ...options, path: join(root, 'x'.repeat(120)) });
  await scope.close();
  assert.equal(existsSync(path), false);
});

test('what another left there is no hindrance', async (t) => {
  const root = makeTestFolder().path;
  t.after(() => rmSync(root, { recursive: true }));
  const path = join(root, 'kubelet.sock');
  writeFileSync(path, '');
  const scope = new Scope('test');
  await serveLocalSocket({ kubelet, clock: realClock, log: silentLogger, scope, path });
  assert.equal(await ask(path, '/healthz'), '200 ok');
  await scope.close();
});

test('a socket that a killed kubelet left does not mislead what is imported next', async (t) => {
  const root = makeTestFolder().path;
  t.after(() => rmSync(root, { recursive: true }));
  const packages = ['first', 'second'].map((name) => {
    mkdirSync(join(root, 'packages', name), { recursive: true });
    mkdirSync(join(root, 'node_modules'), { recursive: true });
    writeFileSync(join(root, 'packages', name, 'index.ts'), `export const name: string = '${name}';\n`);
    symlinkSync(join('..', 'packages', name), join(root, 'node_modules', name));
    return join(root, 'node_modules', name, 'index.ts');
  });
  const path = join(root, 'kubelet.sock');
  const killed = createServer();
  await new Promise<void>((resolve) => killed.listen(path, resolve));
  t.after(() => killed.close());
  const load = async (file: string): Promise<unknown> => ((await import(file)) as { readonly name: string }).name;
  assert.equal(await load(packages[0] ?? ''), 'first');
  const scope = new Scope('test');
  t.after(() => scope.close());
  await serveLocalSocket({ kubelet, clock: realClock, log: silentLogger, scope, path });
  assert.equal(await load(packages[1] ?? ''), 'second');
});
