import { matchesNodeSelector } from '@binnacle/api';
import type { SelectableNode } from '@binnacle/api';
import type { NodeSelector } from '@binnacle/api/core/v1';
import type { Device, ResourceSlice } from '@binnacle/api/resource/v1';
import { parseQuantity } from '@binnacle/machinery';

/** Which nodes reach a device. */
export interface Reach {
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelector;
  readonly allNodes?: boolean;
}

/** A device that can be given to a claim. */
export interface PoolDevice {
  /** `driver/pool/device`. */
  readonly id: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: Device;
  readonly reach: Reach;
}

/** What devices of a pool share, by set and counter, in nanos. */
export type Counters = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

/** All devices of a driver that are managed together, as its newest slices tell. */
export interface Pool {
  /** `driver/pool`. */
  readonly id: string;
  readonly driver: string;
  readonly name: string;
  readonly devices: readonly PoolDevice[];
  readonly counters: Counters;
  /** Not all of its slices are there (yet). */
  readonly isIncomplete: boolean;
  /** Why nothing of it can be given out. */
  readonly invalid: string | undefined;
}

/** `driver/pool`, `driver/pool/device`: names have no slash where it could mislead, drivers none at all. */
export function deviceId(driver: string, pool: string, device: string): string {
  return `${driver}/${pool}/${device}`;
}

/** Whether a node reaches a device. */
export function reaches({ nodeName, allNodes, nodeSelector }: Reach, node: SelectableNode): boolean {
  if (nodeName !== undefined && nodeName !== '') return nodeName === node.name;
  if (allNodes === true) return true;
  return nodeSelector !== undefined && matchesNodeSelector(nodeSelector, node);
}

/** Puts slices together to pools, in the order of their names; older generations are past. */
export function gatherPools(slices: Iterable<ResourceSlice>): readonly Pool[] {
  const newest = new Map<string, ResourceSlice[]>();
  for (const slice of slices) {
    const { driver, pool } = slice.spec;
    const key = `${driver}/${pool.name}`;
    const known = newest.get(key);
    const generation = known?.[0]?.spec.pool.generation ?? -1;
    if (known === undefined || pool.generation > generation) newest.set(key, [slice]);
    else if (pool.generation === generation) known.push(slice);
  }
  return [...newest].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, parts]) => buildPool(parts));
}

function buildPool(unordered: readonly ResourceSlice[]): Pool {
  const slices = unordered.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  const first = slices[0]?.spec;
  const { driver = '', pool } = first ?? {};
  const name = pool?.name ?? '';
  const devices = slices.flatMap(({ spec }) =>
    (spec.devices ?? []).map((device): PoolDevice => {
      const reach: Reach = spec.perDeviceNodeSelection === true ? device : spec;
      return { id: deviceId(driver, name, device.name), driver, pool: name, device, reach };
    }),
  );
  const counters = countersOf(slices);
  return {
    id: `${driver}/${name}`,
    driver,
    name,
    devices,
    counters,
    isIncomplete: slices.length !== pool?.resourceSliceCount,
    invalid: whyInvalid(devices, counters),
  };
}

function countersOf(slices: readonly ResourceSlice[]): Counters {
  const sets = slices.flatMap(({ spec }) => spec.sharedCounters ?? []);
  return new Map(
    sets.map(({ name, counters = {} }) => [
      name,
      new Map(Object.entries(counters).map(([counter, { value }]) => [counter, parseQuantity(value).nano])),
    ]),
  );
}

function whyInvalid(devices: readonly PoolDevice[], counters: Counters): string | undefined {
  const seen = new Set<string>();
  for (const { id, device } of devices) {
    if (seen.has(id)) return `duplicate device name ${device.name}`;
    seen.add(id);
    for (const { counterSet, counters: used = {} } of device.consumesCounters ?? []) {
      const known = counters.get(counterSet);
      if (known === undefined) return `counter set ${counterSet} of device ${device.name} does not exist`;
      const missing = Object.keys(used).find((name) => !known.has(name));
      if (missing !== undefined) return `counter ${missing} of device ${device.name} does not exist`;
    }
  }
  return undefined;
}
