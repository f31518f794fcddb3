import { quantityOf, subtractQuantities } from '@binnacle/machinery';
import type { Quantity } from '@binnacle/machinery';
import { DEVICE_CLASS_PREFIX } from '../core/resource-names.ts';
import type { Pod } from '../generated/core-v1.ts';
import type { DeviceRequest, DeviceSubRequest, ResourceClaim } from '../generated/resource-v1.ts';
import { EXTENDED_RESOURCE_CLAIM, isClaimForResources } from '../resource/extended-resources.ts';
import type { ExtendedResourceClasses } from '../resource/extended-resources.ts';
import type { QuotaAmounts } from './amounts.ts';
import { claimableIn, POD_EVALUATOR, REQUESTS } from './pod-evaluator.ts';
import type { QuotaEvaluator } from './quota-evaluator.ts';

const COUNT = 'count/resourceclaims.resource.k8s.io';
const DEVICES = '.deviceclass.resource.k8s.io/devices';
/** As many devices as one claim can be given: what asking for all of them counts as. */
const DEVICES_MAX = 32;

/** What else is known where claims of devices are counted. */
export interface DeviceCounting {
  /** Which classes stand for extended resources: claims for their devices count towards these, too. */
  readonly classes: Pick<ExtendedResourceClasses, 'of' | 'resourceOf'>;
  pod(namespace: string, name: string): Pod | undefined;
  /** The claims that were made for the extended resources of a pod. */
  claimsForPod(namespace: string, uid: string): readonly ResourceClaim[];
}

/**
 * How claims of devices count: by number, by the devices of each class that they may be given at most, and by the extended
 * resources that those stand for, less what the pod for which the claim was made has counted of them already. (KEP-5004.)
 */
export function deviceClaimEvaluator(known: DeviceCounting): QuotaEvaluator {
  return {
    counts(name) {
      if (name === COUNT || name.endsWith(DEVICES)) return true;
      const resource = claimableIn(name);
      return resource !== undefined && known.classes.of(resource) !== undefined;
    },
    usage(object, nowMs) {
      const claim = object as ResourceClaim;
      const devices = devicesOfClaim(claim);
      const used = new Map<string, Quantity>([[COUNT, quantityOf(1)]]);
      for (const [name, count] of devices) used.set(name + DEVICES, quantityOf(count));
      const resources = resourcesFor(devices, known);
      if (resources.size === 0) return used;
      const counted = countedOfPod(claim, known, nowMs);
      for (const [name, count] of resources) {
        const left = subtractQuantities(quantityOf(count), counted.get(name) ?? quantityOf(0));
        if (left.nano > 0n) used.set(name, left);
      }
      return used;
    },
  };
}

/** Devices by class. */
function devicesOfClaim({ spec }: ResourceClaim): ReadonlyMap<string, number> {
  const devices = new Map<string, number>();
  for (const request of spec.devices?.requests ?? []) {
    for (const [name, count] of devicesOf(request)) devices.set(name, (devices.get(name) ?? 0) + count);
  }
  return devices;
}

function devicesOf({ exactly, firstAvailable = [] }: DeviceRequest): Map<string, number> {
  const most = new Map<string, number>();
  // One of the alternatives is taken: of each class, the most that any of them asks for.
  for (const asked of firstAvailable.length > 0 || exactly === undefined ? firstAvailable : [exactly]) {
    const name = asked.deviceClassName;
    most.set(name, Math.max(most.get(name) ?? 0, countOf(asked)));
  }
  return most;
}

function countOf({ allocationMode, count = 0 }: Pick<DeviceSubRequest, 'allocationMode' | 'count'>): number {
  if (allocationMode === 'All') return DEVICES_MAX;
  return allocationMode === 'ExactCount' ? count : 0;
}

/** The same under the names of extended resources: that of the class itself, and the one that it is given. */
function resourcesFor(devices: ReadonlyMap<string, number>, { classes }: DeviceCounting): ReadonlyMap<string, number> {
  const resources = new Map<string, number>();
  for (const [className, count] of devices) {
    if (className === '') continue;
    resources.set(REQUESTS + DEVICE_CLASS_PREFIX + className, count);
    const given = classes.resourceOf(className);
    if (given !== undefined) resources.set(REQUESTS + given, (resources.get(REQUESTS + given) ?? 0) + count);
  }
  return resources;
}

const NOTHING: QuotaAmounts = new Map();

/** What the pod counts itself for which the claim was made; nothing where it has, or may have, another one. */
function countedOfPod(claim: ResourceClaim, known: DeviceCounting, nowMs: number): QuotaAmounts {
  const { annotations, namespace = '', name = '', ownerReferences = [] } = claim.metadata;
  if (annotations?.[EXTENDED_RESOURCE_CLAIM] !== 'true') return NOTHING;
  const owner = ownerReferences.find(({ controller }) => controller === true);
  if (owner?.kind !== 'Pod' || owner.apiVersion !== 'v1') return NOTHING;
  const pod = known.pod(namespace, owner.name);
  if (pod === undefined || !isClaimForResources(claim, pod)) return NOTHING;
  const told = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  // Until the pod tells which one it has, it is the first that was made.
  const isOther =
    told === undefined ? known.claimsForPod(namespace, owner.uid).some((one) => isBefore(one, claim)) : told !== name;
  return isOther ? NOTHING : POD_EVALUATOR.usage(pod, nowMs);
}

function isBefore({ metadata: a }: ResourceClaim, { metadata: b }: ResourceClaim): boolean {
  const [x, y] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
  return x === y ? (a.name ?? '') < (b.name ?? '') : x < y;
}
