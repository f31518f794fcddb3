import assert from 'node:assert/strict';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { readMachine } from './machine.ts';

test('this machine', async () => {
  const machine = await readMachine({
    rootDirectory: '/tmp/not/there/yet',
    hostname: 'Node-1',
    nodeIPs: ['192.0.2.1'],
  });
  assert.equal(machine.hostname, 'node-1');
  assert.deepEqual(machine.addresses, [
    { type: 'InternalIP', address: '192.0.2.1' },
    { type: 'Hostname', address: 'node-1' },
  ]);
  assert.ok(machine.cpus >= 1 && machine.memoryBytes > 1e8 && machine.ephemeralStorageBytes > 1e8);
  assert.match(machine.bootId, /^[0-9a-f-]{36}$/);
  assert.match(await machine.hostsFile(), /localhost/);
  const own = await readMachine({ rootDirectory: '/' });
  assert.match(own.addresses[0]?.address ?? '', /^[0-9.]+$/);
});

test("a pod's control group is removed in every hierarchy, with those below it", async () => {
  const mount = makeTestFolder().path;
  for (const controller of ['cpu', 'memory', 'unified'])
    await mkdir(join(mount, controller, 'kubepods/podx/container'), { recursive: true });
  await mkdir(join(mount, 'kubepods/podx'), { recursive: true });
  const machine = await readMachine({ rootDirectory: '/', cgroupMount: mount });
  await machine.removeCgroup('/kubepods/podx');
  await machine.removeCgroup('/kubepods/podx');
  for (const controller of ['cpu', 'memory', 'unified', '.'])
    assert.deepEqual(await readdir(join(mount, controller, 'kubepods')), []);
  await rm(mount, { recursive: true, force: true });
});
