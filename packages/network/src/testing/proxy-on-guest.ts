/** `binnacle proxy --proxy-mode=ipvs` against `binnacle up`, on a kernel that has IPVS: `npm run guest`. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { after, before, test } from 'node:test';
import { sleep } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';

const PROGRAM = '/w/binnacle/bin/binnacle.mjs';
const KUBECONFIG = '/tmp/kubeconfig';
const POD = { namespace: 'pod1', address: '10.244.0.9' };
/** An emulated machine is slow. */
const DEADLINE_MS = 120_000;
const CONNECTION_MS = 5000;
const children: ChildProcess[] = [];

const ip = (...args: readonly string[]): string => execFileSync('ip', args, { encoding: 'utf8' });

/** Starts a command that stays; resolves when it has said something. */
async function start(...command: readonly string[]): Promise<ChildProcess> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data', { signal: AbortSignal.timeout(DEADLINE_MS) });
  child.stdout.resume();
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

/** A request of the administrator. */
async function call(method: string, path: string, body?: object): Promise<{ readonly [field: string]: unknown }> {
  const text = readFileSync(KUBECONFIG, 'utf8');
  const field = (name: string): string => new RegExp(`${name}: "?([^\\s"]+)`).exec(text)?.[1] ?? '';
  const pem = (name: string): Buffer => Buffer.from(field(name), 'base64');
  const secrets = { ca: pem('certificate-authority-data'), cert: pem('client-certificate-data') };
  const key = pem('client-key-data');
  const headers = { 'content-type': 'application/json' };
  const asking = request(new URL(path, field('server')), { method, ...secrets, key, headers });
  asking.end(body === undefined ? undefined : JSON.stringify(body));
  const [reply] = (await once(asking, 'response')) as [AsyncIterable<Buffer> & { readonly statusCode: number }];
  const parts: Buffer[] = [];
  for await (const part of reply) parts.push(part);
  const said = Buffer.concat(parts).toString();
  assert.ok(reply.statusCode < 300, `${method} ${path}: ${said}`);
  return JSON.parse(said) as { readonly [field: string]: unknown };
}

/** What a connection hears; empty: nobody answers. */
function hear(address: string): string {
  try {
    return execFileSync('busybox', ['nc', '-w', '2', address, '80'], {
      encoding: 'utf8',
      input: '',
      timeout: CONNECTION_MS,
      stdio: 'pipe',
    }).trim();
  } catch {
    // Refused, or no answer comes.
    return '';
  }
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (const from = performance.now(); !isSo();) {
    assert.ok(performance.now() - from < DEADLINE_MS, what);
    await sleep(realClock, 200);
  }
}

before(async () => {
  ip('netns', 'add', POD.namespace);
  ip('link', 'add', 'v0', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', POD.namespace);
  ip('addr', 'add', '10.244.0.1/24', 'dev', 'v0');
  ip('link', 'set', 'v0', 'up');
  ip('-n', POD.namespace, 'addr', 'add', `${POD.address}/24`, 'dev', 'eth0');
  ip('-n', POD.namespace, 'link', 'set', 'eth0', 'up');
  ip('-n', POD.namespace, 'route', 'add', 'default', 'via', '10.244.0.1');
  const server = `require('node:net').createServer((s) => s.on('error', () => {}).end('hello')).listen(8080, () => console.log('ready'))`;
  await start('ip', 'netns', 'exec', POD.namespace, process.execPath, '-e', server);
  const place = ['--data-dir', '/tmp/data', '--kubeconfig', KUBECONFIG, '--store', 'memory'];
  await start(process.execPath, PROGRAM, 'up', ...place, '--runtime', 'simulated', '--output', 'json');
});

after(async () => {
  for (const child of children.toReversed()) await stop(child);
});

test('binnacle proxy with IPVS keeps a Service, without endpoints too, and leaves nothing', async () => {
  const proxy = await start(process.execPath, PROGRAM, 'proxy', '--kubeconfig', KUBECONFIG, '--proxy-mode', 'ipvs');
  const services = '/api/v1/namespaces/default/services';
  const made = await call('POST', services, {
    metadata: { name: 'web' },
    spec: { ports: [{ port: 80, targetPort: 8080 }] },
  });
  const { clusterIP } = made['spec'] as { readonly clusterIP: string };
  const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
  await call('POST', slices, {
    metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ name: '', port: 8080, protocol: 'TCP' }],
    endpoints: [{ addresses: [POD.address], conditions: { ready: true } }],
  });
  await until('the Service answers', () => hear(clusterIP) === 'hello');
  assert.match(
    execFileSync('ipvsadm', ['-Ln'], { encoding: 'utf8' }),
    new RegExp(`${clusterIP}:80[^]*${POD.address}:8080`),
  );
  await call('DELETE', `${slices}/web-1`);
  await until('nobody is left to answer', () => hear(clusterIP) === '');
  await stop(proxy);
  execFileSync(process.execPath, [PROGRAM, 'proxy', '--cleanup'], { stdio: 'inherit' });
  assert.doesNotMatch(execFileSync('ipvsadm', ['-Ln'], { encoding: 'utf8' }), /10\.96\./, 'nothing is left');
});
