import { type Logger, messageOf } from '@binnacle/base';
import { readYaml } from '@binnacle/machinery/yaml';
import type { PluginRefusal } from '../plugin/plugin-error.ts';
import type { HostFiles } from '../ports.ts';
import { type DeviceCatalogue, type DeviceEdits, readCdiSpec } from './cdi.ts';

const BYTES_MAX = 1 << 20;
const FILES_MAX = 1000;

/** All devices that files in these folders tell of, read anew: drivers write them while pods are prepared. */
export async function readDeviceCatalogue(
  files: HostFiles,
  directories: readonly string[],
  log: Logger,
): Promise<DeviceCatalogue> {
  const all = new Map<string, DeviceEdits | PluginRefusal>();
  for (const directory of directories) {
    const names = (await files.list(directory)).filter((name) => /\.(?:json|yaml)$/.test(name)).toSorted();
    for (const name of names.slice(0, FILES_MAX)) {
      const path = `${directory}/${name}`;
      try {
        const bytes = await files.readRange(path, 0, BYTES_MAX);
        if (bytes === undefined) continue;
        for (const [id, edits] of readCdiSpec(readYaml(new TextDecoder().decode(bytes)).value)) all.set(id, edits);
      } catch (error) {
        log.warn('A file of devices is passed over', { path, reason: messageOf(error) });
      }
    }
  }
  return all;
}
