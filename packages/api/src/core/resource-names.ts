import { names } from '@binnacle/machinery';

/** Resources of containers that Kubernetes itself knows, huge pages apart. */
const CONTAINER = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Resources whose amounts are whole numbers. */
const INTEGER = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

const STANDARD = new Set([
  ...CONTAINER,
  ...INTEGER,
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'storage',
  'requests.storage',
]);

const QUOTA = new Set([...STANDARD].filter((name) => name !== 'storage'));

const NOT_STANDARD = 'must be a standard resource type or fully qualified';

export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** Of Kubernetes itself, rather than of a vendor. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** A vendor's resource: counted in whole units, never overcommitted. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false;
  return names.qualifiedNameErrors(`requests.${name}`).length === 0;
}

/** Before the name of a class of devices: the resource that always stands for them. */
export const DEVICE_CLASS_PREFIX = 'deviceclass.resource.kubernetes.io/';

/** A resource that devices by claims may stand for: a vendor's, or that of a class of devices. */
export function isClaimableResource(name: string): boolean {
  return isExtendedResource(name) || name.startsWith(DEVICE_CLASS_PREFIX);
}

/** May more be promised than there is? */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name);
}

export function isIntegerResource(name: string): boolean {
  return INTEGER.has(name) || (name.includes('/') && isExtendedResource(name));
}

/** Resources that a pod as a whole may ask for (`spec.resources`). */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name);
}

/** What is wrong with the name of a compute resource anywhere. */
export function resourceNameErrors(name: string): string[] {
  const errors = names.qualifiedNameErrors(name);
  if (errors.length > 0) return errors;
  return name.includes('/') || STANDARD.has(name) || isQuotaHugePages(name) ? [] : [NOT_STANDARD];
}

/** What is wrong with the name of a resource in a container's requests or limits. */
export function containerResourceNameErrors(name: string): string[] {
  if (CONTAINER.has(name)) return [];
  const errors = resourceNameErrors(name);
  if (!name.includes('/')) {
    return isHugePages(name) ? errors : [...errors, 'must be a standard resource for containers'];
  }
  if (isNativeResource(name) || isExtendedResource(name)) return errors;
  return [...errors, "doesn't follow extended resource name standard"];
}

/** One of Kubernetes' own that quotas count. */
export function isStandardQuotaResource(name: string): boolean {
  return QUOTA.has(name) || isQuotaHugePages(name);
}

/** What is wrong with the name of a resource in a quota. */
export function quotaResourceNameErrors(name: string): string[] {
  const errors = resourceNameErrors(name);
  if (name.includes('/') || isStandardQuotaResource(name) || name.startsWith('count/')) return errors;
  return [...errors, 'must be a standard resource for quota'];
}

function isQuotaHugePages(name: string): boolean {
  return isHugePages(name) || name.startsWith('requests.hugepages-');
}
