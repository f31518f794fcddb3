import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VolumeError } from '../errors.ts';
import { PluginRefusal } from '../plugin/plugin-error.ts';
import type { PluginWire } from '../ports.ts';
import { lonelyWire } from '../testing/plugins.ts';
import { CsiDrivers } from './csi-drivers.ts';

function bench(nodeId = 'n-1'): { readonly drivers: CsiDrivers; readonly said: string[] } {
  const said: string[] = [];
  const wire: PluginWire = {
    ...lonelyWire,
    call: async () => ({ node_id: nodeId, max_volumes_per_node: 3, accessible_topology: { segments: { zone: 'a' } } }),
    forget: (socket) => void said.push(`forget ${socket}`),
  };
  const drivers = new CsiDrivers({
    wire,
    page: {
      install: async (driver, info) => void said.push(`install ${driver} ${JSON.stringify(info)}`),
      remove: async (driver) => void said.push(`remove ${driver}`),
    },
    arrived: (driver) => void said.push(`arrived ${driver}`),
  });
  return { drivers, said };
}

const plugin = (endpoint = '/run/d.sock', name = 'd', versions: readonly string[] = ['1.0.0']) => ({
  name,
  endpoint,
  versions,
});

test('a driver is there from its registration to its end', async () => {
  const { drivers, said } = bench();
  assert.throws(() => drivers.need('d'), VolumeError);
  await drivers.register(plugin());
  assert.deepEqual(said, ['install d {"nodeId":"n-1","volumesMax":3,"topology":{"zone":"a"}}', 'arrived d']);
  assert.ok(drivers.need('d'));
  await drivers.deregister(plugin());
  assert.deepEqual(said.slice(2), ['forget /run/d.sock', 'remove d']);
  assert.throws(() => drivers.need('d'), /driver name d not found in the list of registered CSI drivers/);
});

test('an old socket that goes takes nothing from the new one', async () => {
  const { drivers, said } = bench();
  await drivers.register(plugin('/run/old.sock'));
  await drivers.register(plugin('/run/new.sock'));
  await drivers.deregister(plugin('/run/old.sock'));
  assert.ok(drivers.need('d'));
  assert.equal(said.includes('remove d'), false);
});

test('a driver that does not know its node is not taken', () =>
  assert.rejects(bench('').drivers.register(plugin()), /driverNodeID must not be empty/));

for (const [name, given] of [
  ['a bad name', plugin('/s', '../d')],
  ['no versions', plugin('/s', 'd', [])],
  ['versions of another time', plugin('/s', 'd', ['0.2.0'])],
] as const)
  test(`${name} is refused`, () => assert.throws(() => bench().drivers.validate(given), PluginRefusal));
