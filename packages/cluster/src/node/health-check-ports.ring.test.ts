import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { Scope, silentLogger } from '@binnacle/base';
import type { HealthCheck } from '@binnacle/proxy';
import { openHealthCheckPorts } from './health-check-ports.ts';

/** A port that nobody has now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

const check = (port: number, localEndpoints = 1): HealthCheck => ({
  namespace: 'ns',
  name: 'web',
  port,
  localEndpoints,
});

test('a server for each, that follows its Service and goes with it', async () => {
  const scope = new Scope('test', { log: silentLogger });
  const ports = openHealthCheckPorts(scope);
  const [first, second] = [await freePort(), await freePort()];
  let isHealthy = true;
  const refusals: string[] = [];
  const around = {
    isHealthy: () => isHealthy,
    insiders: undefined,
    addresses: undefined,
    refused: ({ name, port }: HealthCheck) => refusals.push(`${name} ${port}`),
  };
  const ask = async (port: number): Promise<number> => (await fetch(`http://127.0.0.1:${port}/anything`)).status;
  await ports.keep(new Map([['ns/web', check(first)]]), around);
  assert.equal(await ask(first), 200);
  await ports.keep(new Map([['ns/web', check(first, 0)]]), around);
  assert.equal(await ask(first), 503);
  await ports.keep(new Map([['ns/web', check(second)]]), around);
  await assert.rejects(ask(first));
  isHealthy = false;
  assert.equal(await ask(second), 503);
  const both = new Map([
    ['ns/web', check(second)],
    ['ns/thief', { ...check(second), name: 'thief' }],
  ]);
  await ports.keep(both, around);
  await ports.keep(both, around);
  assert.deepEqual(refusals, [`thief ${second}`], 'told once');
  const taken = createServer().listen(first);
  await once(taken, 'listening');
  await ports.keep(new Map([...both, ['ns/thief', { ...check(first), name: 'thief' }]]), around);
  assert.deepEqual(refusals, [`thief ${second}`, `thief ${first}`], 'and of another port anew');
  taken.close();
  await scope.close();
  await assert.rejects(ask(second));
});

test('answers at the addresses that node ports do, and at no other', async () => {
  const scope = new Scope('test', { log: silentLogger });
  const ports = openHealthCheckPorts(scope);
  const port = await freePort();
  const around = { isHealthy: () => true, insiders: undefined, refused: () => undefined };
  const ask = async (host: string): Promise<number> => (await fetch(`http://${host}:${port}/`)).status;
  await ports.keep(new Map([['ns/web', check(port)]]), { ...around, addresses: ['127.0.0.2'] });
  assert.equal(await ask('127.0.0.2'), 200);
  await assert.rejects(ask('127.0.0.1'));
  await scope.close();
});
