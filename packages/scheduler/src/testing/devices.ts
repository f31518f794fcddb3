import type {
  Device,
  DeviceClass,
  DeviceRequest,
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceSlice,
} from '@binnacle/api/resource/v1';
import { AllocatedDevices } from '../devices/allocated-devices.ts';

/** A driver's slice for tests: a pool of its own per node, complete. */
export function makeSlice(
  node: string,
  devices: readonly Device[],
  more: Partial<ResourceSlice['spec']> = {},
): ResourceSlice {
  const pool = { name: node, generation: 1, resourceSliceCount: 1 };
  return {
    metadata: { name: `slice-${node}-${more.pool?.name ?? ''}` },
    spec: { driver: 'd.example.org', pool, nodeName: node, devices, ...more },
  };
}

/** A class of all devices, or of those that these expressions describe. */
export function makeClass(name: string, ...expressions: readonly string[]): DeviceClass {
  return { metadata: { name }, spec: { selectors: expressions.map((expression) => ({ cel: { expression } })) } };
}

/** A claim in namespace `default`, with uid `claim-NAME`. */
export function makeClaim(
  name: string,
  requests: readonly DeviceRequest[],
  more: Partial<ResourceClaim['spec']['devices']> & { readonly status?: ResourceClaim['status'] } = {},
): ResourceClaim {
  const { status, ...devices } = more;
  return {
    metadata: { name, namespace: 'default', uid: `claim-${name}`, resourceVersion: '1' },
    spec: { devices: { requests, ...devices } },
    ...(status === undefined ? {} : { status }),
  };
}

/** One device of class `any`, unless said otherwise. */
export function request(name: string, more: Partial<NonNullable<DeviceRequest['exactly']>> = {}): DeviceRequest {
  return { name, exactly: { deviceClassName: 'any', ...more } };
}

/** Devices that claims have already, by their ids: as a whole, or these amounts of them each. */
export function givenDevices(
  ...given: readonly (readonly [id: string, consumedCapacity?: { readonly [name: string]: string }])[]
): AllocatedDevices {
  const allocated = new AllocatedDevices();
  for (const [at, [id, consumedCapacity]] of given.entries()) {
    const [driver = '', pool = '', device = ''] = id.split('/');
    const share = consumedCapacity === undefined ? {} : { shareID: `share-${at}`, consumedCapacity };
    const result: DeviceRequestAllocationResult = { request: 'r', driver, pool, device, ...share };
    allocated.see(`given-${at}`, makeClaim('c', [], { status: { allocation: { devices: { results: [result] } } } }));
  }
  return allocated;
}
