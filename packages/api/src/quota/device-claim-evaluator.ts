import { quantityOf } from '@binnacle/machinery';
import type { DeviceRequest, DeviceSubRequest, ResourceClaim } from '../generated/resource-v1.ts';
import type { QuotaEvaluator } from './quota-evaluator.ts';

const COUNT = 'count/resourceclaims.resource.k8s.io';
const DEVICES = '.deviceclass.resource.k8s.io/devices';
/** As many devices as one claim can be given: what asking for all of them counts as. */
const DEVICES_MAX = 32;

/** How claims of devices count: by number, and by the devices of each class that they may be given at most. */
export const DEVICE_CLAIM_EVALUATOR: QuotaEvaluator = {
  counts: (name) => name === COUNT || name.endsWith(DEVICES),
  usage(object) {
    const devices = new Map<string, number>([[COUNT, 1]]);
    for (const request of (object as ResourceClaim).spec.devices?.requests ?? []) {
      for (const [name, count] of devicesOf(request)) devices.set(name, (devices.get(name) ?? 0) + count);
    }
    return new Map([...devices].map(([name, count]) => [name, quantityOf(count)]));
  },
};

function devicesOf({ exactly, firstAvailable = [] }: DeviceRequest): Map<string, number> {
  const most = new Map<string, number>();
  // One of the alternatives is taken: of each class, the most that any of them asks for.
  for (const asked of firstAvailable.length > 0 || exactly === undefined ? firstAvailable : [exactly]) {
    const name = asked.deviceClassName + DEVICES;
    most.set(name, Math.max(most.get(name) ?? 0, countOf(asked)));
  }
  return most;
}

function countOf({ allocationMode, count = 0 }: Pick<DeviceSubRequest, 'allocationMode' | 'count'>): number {
  if (allocationMode === 'All') return DEVICES_MAX;
  return allocationMode === 'ExactCount' ? count : 0;
}
