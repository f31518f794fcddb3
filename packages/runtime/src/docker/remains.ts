import { execFile } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Logger, messageOf } from '@binnacle/base';
import { type PodNetwork, pluginList } from '../containerd/config.ts';
import { PROGRAM_PATH, findPluginFolder } from '../containerd/host.ts';
import { removeBridge } from '../containerd/pod-bridge.ts';
import { removeIdlePortChains } from '../containerd/port-chains.ts';
import { PodPlugins } from './pod-network.ts';

const run = promisify(execFile);

/** Takes back the network of pods that are gone, whoever removed them, and their bridge. */
export async function removePodNetwork(stateDir: string, network: PodNetwork, log: Logger): Promise<void> {
  const folder = join(stateDir, 'pods');
  // Absent: no pod was ever run.
  const names = await readdir(folder).catch(() => []);
  const pluginFolder = (await findPluginFolder()) ?? '';
  const plugins = new PodPlugins({ list: pluginList(join(stateDir, 'ipam'), network), pluginFolder, folder });
  for (const name of names.filter((one) => !one.endsWith('.json'))) {
    try {
      await plugins.remove(name);
    } catch (error) {
      log.warn('the network of a pod is not taken back by its plugins', { pod: name, reason: messageOf(error) });
    }
    // Mounted where the plugins failed, or where the pod's were never all called.
    await run('umount', [join(folder, name)], { env: { PATH: PROGRAM_PATH } }).catch(() => undefined);
  }
  await removeBridge(network.bridge, log);
  await removeIdlePortChains(log);
  await rm(stateDir, { recursive: true, force: true });
}
