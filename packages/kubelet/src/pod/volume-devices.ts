import type { Container } from '@binnacle/api/core/v1';
import type { Device } from '@binnacle/runtime';
import type { MountPlace } from './mounts.ts';
import type { PodWorld } from './world.ts';
import { ContainerConfigError } from '../errors.ts';

/** Volumes that a container gets as devices. */
export async function volumeDevicesOf(
  world: Pick<PodWorld, 'files'>,
  place: Pick<MountPlace, 'volumes'>,
  container: Pick<Container, 'name' | 'volumeDevices'>,
): Promise<Device[]> {
  const devices: Device[] = [];
  for (const { name, devicePath } of container.volumeDevices ?? []) {
    const volume = place.volumes.get(name);
    if (volume?.isBlock !== true) {
      throw new ContainerConfigError(`cannot find block volume "${name}" to map into container "${container.name}"`);
    }
    const hostPath = (await world.files?.device(volume.hostPath)) ?? volume.hostPath;
    devices.push({ hostPath, containerPath: devicePath, permissions: volume.readOnly ? 'r' : 'mrw' });
  }
  return devices;
}
