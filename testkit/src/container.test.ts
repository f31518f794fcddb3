import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nodeHttp } from '@binnacle/base/node';
import {
  containerPids,
  fetchPage,
  isRunning,
  killContainer,
  pidsByCommand,
  podCgroups,
  remainsOf,
} from './container.ts';
import { TestkitError } from './errors.ts';
import { makeFolder } from './folder.ts';

const folder = makeFolder();
after(() => folder.remove());

test('what is left of a cluster: its processes without their forks, its folder; and nothing once they are gone', async () => {
  const below = join(folder.path, 'cluster');
  writeFileSync(below, '');
  // The fork has the same words as the shell that it comes of; both end with their input.
  const child = spawn('sh', ['-c', `exec 3<&0; (read line <&3; :) & echo up; read line; : ${below}`]);
  await once(child.stdout, 'data');
  try {
    assert.deepEqual(pidsByCommand(below), [child.pid]);
    assert.equal(isRunning(child.pid ?? 0), true);
    assert.deepEqual(
      remainsOf(below).map((line) => line.split(/[ :]/)[0]),
      ['process', 'folder'],
    );
    assert.deepEqual(remainsOf(join(folder.path, 'another')), []);
  } finally {
    const ended = once(child, 'close');
    child.stdin.end();
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(below);
  assert.equal(isRunning(child.pid ?? 0), false);
  assert.deepEqual(remainsOf(below), []);
});

test('a container without an id, or without a process, is not one that is well', () => {
  assert.throws(() => containerPids(''), TestkitError);
  assert.throws(() => containerPids('containerd://'), TestkitError);
  assert.deepEqual(containerPids('containerd://0123456789abcdef-nobody'), []);
  assert.throws(() => killContainer('containerd://0123456789abcdef-nobody'), TestkitError);
});

test('a pod that never was has no control group', () => {
  assert.deepEqual(podCgroups(['never']), []);
});

async function serving(answer: RequestListener): Promise<{ server: Server; port: number }> {
  const server = nodeHttp().createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

test('a page is told with its code and all its pieces, and one that breaks off is none', async () => {
  const { server, port } = await serving((request, response) => {
    response.writeHead(request.url === '/missing' ? 404 : 200, { 'content-length': 8 });
    response.write('half');
    if (request.url === '/cut') response.destroy();
    else response.end('half');
  });
  try {
    assert.deepEqual(await fetchPage('127.0.0.1', '/', port), { code: 200, body: 'halfhalf' });
    assert.deepEqual(await fetchPage('127.0.0.1', '/missing', port), { code: 404, body: 'halfhalf' });
    await assert.rejects(fetchPage('127.0.0.1', '/cut', port), { code: 'ECONNRESET' });
  } finally {
    server.closeAllConnections();
    server.close();
  }
  await once(server, 'close');
  await assert.rejects(fetchPage('127.0.0.1', '/', port), { code: 'ECONNREFUSED' });
});
