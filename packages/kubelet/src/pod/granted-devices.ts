import type { Container } from '@binnacle/api/core/v1';
import type { Device, Mount } from '@binnacle/runtime';
import type { MountPlace } from './mounts.ts';
import { volumeDevicesOf } from './volume-devices.ts';
import type { PodWorld } from './world.ts';

/** What a container gets with the devices that were given to it, volumes among them. */
export interface GrantedDevices {
  /** Of device plugins: what the pod says itself goes before it. */
  readonly env: readonly (readonly [name: string, value: string])[];
  /** Of files of devices: goes before what the pod says, as engines do it. */
  readonly envOver: readonly (readonly [name: string, value: string])[];
  readonly mounts: readonly Mount[];
  readonly devices: readonly Device[];
  readonly annotations: { readonly [key: string]: string };
  readonly groups: readonly number[];
}

/**
 * What a container gets by device plugins, by its claims, and of volumes as devices; plugins are told that it is about to start.
 * Throws PluginError, PluginRefusal, ContainerStartError.
 */
export async function grantedDevices(
  world: Pick<PodWorld, 'devices' | 'claims' | 'files'>,
  place: Pick<MountPlace, 'pod' | 'volumes'>,
  container: Container,
): Promise<GrantedDevices> {
  const { devices, claims } = world;
  const { pod } = place;
  const grants = (await devices?.grantsOf(pod, container.name)) ?? [];
  const claimed = claims?.devicesOf(pod, container).flatMap((claim) => claim.devices) ?? [];
  const ids = [...grants.flatMap(({ cdiIds = [] }) => cdiIds), ...claimed.flatMap(({ cdiIds }) => cdiIds)];
  const edits = ids.length === 0 ? undefined : await claims?.edits([...new Set(ids)]);
  const mounts = [...grants.flatMap((grant) => grant.mounts), ...(edits?.mounts ?? [])];
  return {
    env: grants.flatMap(({ envs }) => Object.entries(envs)),
    envOver: edits?.env ?? [],
    mounts: mounts.map((mount) => ({ ...mount, propagation: 'private' as const })),
    devices: [
      ...(await volumeDevicesOf(world, place, container)),
      ...grants.flatMap((grant) => grant.devices),
      ...(edits?.devices ?? []),
    ],
    annotations: Object.assign({}, ...grants.map((grant) => grant.annotations)) as GrantedDevices['annotations'],
    groups: edits?.groups ?? [],
  };
}
