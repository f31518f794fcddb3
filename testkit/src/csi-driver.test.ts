import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { describe as descriptorsOf, failureOf, openChannel, STATUS } from '@binnacle/grpc';
import type { Channel } from '@binnacle/grpc';
import { startCsiDriver } from './csi-driver.ts';
import type { CsiDriverProcess, CsiDriverWish } from './csi-driver.ts';
import { makeFolder } from './folder.ts';

const folder = makeFolder();
after(() => folder.remove());
const kubeletDir = join(folder.path, 'kubelet');
const NAME = 'test.csi.binnacle.dev';
const NODE = 'csi.v1.Node';
const NO_DEADLINE = 0;

type Asked = (method: string, request?: object, service?: string) => Promise<{ readonly [field: string]: unknown }>;

/** A driver, and a kubelet's hand on it. */
async function withDriver(wish: Partial<CsiDriverWish>, act: (ask: Asked, driver: CsiDriverProcess) => Promise<void>) {
  const driver = await startCsiDriver({ kubeletDir, folder: join(folder.path, 'volumes'), ...wish });
  const socket = join(kubeletDir, 'plugins', NAME, 'csi.sock');
  const channels: Channel[] = [];
  try {
    const channel = await openChannel(`unix://${socket}`, async () => [await descriptorsOf('csi')]);
    channels.push(channel);
    const ask: Asked = async (method, request = {}, service = NODE) =>
      (await channel.unary({ service, method }, request, NO_DEADLINE)) as { readonly [field: string]: unknown };
    await act(ask, driver);
  } finally {
    for (const channel of channels) channel.close();
    await driver.stop();
  }
  assert.equal(existsSync(socket), false, 'its socket goes with it');
}

describe('a CSI driver of a test', () => {
  test('is found by its registration, and learns what the kubelet thought of it', async () => {
    await withDriver({}, async (_, driver) => {
      const path = join(kubeletDir, 'plugins_registry', `${NAME}-reg.sock`);
      const channel = await openChannel(`unix://${path}`, async () => [await descriptorsOf('registration')]);
      const service = 'pluginregistration.Registration';
      const info = (await channel.unary({ service, method: 'GetInfo' }, {}, NO_DEADLINE)) as object;
      const endpoint = join(kubeletDir, 'plugins', NAME, 'csi.sock');
      assert.deepEqual({ ...info }, { type: 'CSIPlugin', name: NAME, endpoint, supported_versions: ['1.0.0'] });
      const said = { plugin_registered: false, error: 'another one has this name' };
      await channel.unary({ service, method: 'NotifyRegistrationStatus' }, said, NO_DEADLINE);
      assert.deepEqual({ ...(await driver.registered) }, said);
      channel.close();
    });
  });

  test('is what was wished for', async () => {
    const wish = { nodeId: 'n-7', volumesMax: 3, topology: { zone: 'a' }, capabilities: ['GET_VOLUME_STATS'] };
    await withDriver(wish, async (ask) => {
      const info = await ask('NodeGetInfo');
      assert.deepEqual([info['node_id'], info['max_volumes_per_node']], ['n-7', 3]);
      assert.deepEqual(JSON.parse(JSON.stringify(info['accessible_topology'])), { segments: { zone: 'a' } });
      const told = JSON.stringify((await ask('NodeGetCapabilities'))['capabilities']);
      assert.match(told, /GET_VOLUME_STATS/);
      assert.doesNotMatch(told, /STAGE_UNSTAGE_VOLUME/);
      assert.equal((await ask('GetPluginInfo', {}, 'csi.v1.Identity'))['name'], NAME);
    });
  });

  test('refuses what it was told to, as often as it is asked, until that is taken back; and counts it', async () => {
    await withDriver({}, async (ask, driver) => {
      driver.refuse('NodeGetInfo', { status: STATUS.FAILED_PRECONDITION, message: 'not now' });
      for (let time = 0; time < 2; time++) {
        await assert.rejects(ask('NodeGetInfo'), (error) => {
          const failure = failureOf(error);
          assert.deepEqual([failure?.status, failure?.details], [STATUS.FAILED_PRECONDITION, 'not now']);
          return true;
        });
      }
      await ask('NodeGetCapabilities');
      driver.refuse('NodeGetInfo', undefined);
      assert.equal((await ask('NodeGetInfo'))['node_id'], 'node-of-the-driver');
      const methods = driver.calls.map(({ method }) => method);
      assert.deepEqual(methods, ['NodeGetInfo', 'NodeGetInfo', 'NodeGetCapabilities', 'NodeGetInfo']);
    });
  });

  test('keeps a volume’s files over its own end, grows it, and tells how full it is', async () => {
    const volume = { volume_id: 'v1', volume_path: folder.path, volume_capability: { block: {} } };
    await withDriver({}, async (ask, driver) => {
      await ask('NodeStageVolume', { ...volume, staging_target_path: join(folder.path, 'staged') });
      const grown = await ask('NodeExpandVolume', { ...volume, capacity_range: { required_bytes: 2 ** 33 } });
      assert.equal(grown['capacity_bytes'], 2 ** 33);
      const { usage } = (await ask('NodeGetVolumeStats', volume)) as { usage: { unit: string; total: number }[] };
      assert.deepEqual(
        usage.map(({ unit, total }) => [unit, total > 0]),
        [
          ['BYTES', true],
          ['INODES', true],
        ],
      );
      assert.deepEqual(driver.calls[0]?.request['volume_id'], 'v1');
    });
    await withDriver({}, async (_, driver) => {
      assert.equal(readFileSync(join(driver.volumeFolder('v1'), '.size'), 'utf8'), String(2 ** 33));
      assert.deepEqual(driver.calls, []);
    });
  });
});
