import type { Container, Pod } from '@binnacle/api/core/v1';
import { milliValue, wholeValue } from './amount.ts';
import { UnsupportedError } from '../errors.ts';
import type { NodeAllocatable } from '../registration/allocatable.ts';

/** Addresses that a running pod has; known once its sandbox stands. */
export interface PodAddresses {
  readonly podIPs: readonly string[];
  readonly hostIPs: readonly string[];
}

/** The value of a `fieldRef` in a pod, for environment and downward files. Throws UnsupportedError for other paths. */
export function fieldValue(pod: Pod, path: string, addresses: PodAddresses): string {
  const { metadata } = pod;
  const subscript = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (subscript !== null) {
    const map = subscript[1] === 'labels' ? metadata.labels : metadata.annotations;
    return map?.[subscript[2] ?? ''] ?? '';
  }
  switch (path) {
    case 'metadata.name':
      return metadata.name ?? '';
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid ?? '';
    case 'metadata.labels':
      return formatMap(metadata.labels);
    case 'metadata.annotations':
      return formatMap(metadata.annotations);
    case 'spec.nodeName':
      return pod.spec?.nodeName ?? '';
    case 'spec.serviceAccountName':
      return pod.spec?.serviceAccountName ?? '';
    case 'status.hostIP':
      return addresses.hostIPs[0] ?? '';
    case 'status.hostIPs':
      return addresses.hostIPs.join(',');
    case 'status.podIP':
      return addresses.podIPs[0] ?? '';
    case 'status.podIPs':
      return addresses.podIPs.join(',');
    default:
      throw new UnsupportedError(`unsupported fieldPath: ${path}`);
  }
}

/** The value of a `resourceFieldRef`: a whole number of divisors, rounded up. */
export function resourceValue(
  container: Container,
  ref: { readonly resource: string; readonly divisor?: string },
  node: NodeAllocatable,
): string {
  const [list, name = ''] = ref.resource.split('.', 2);
  const { limits = {}, requests = {} } = container.resources ?? {};
  const given = (list === 'limits' ? limits : requests)[name];
  const zeroDivisor = ref.divisor === undefined || ref.divisor === '0';
  if (name === 'cpu') {
    const milli = given === undefined ? (list === 'limits' ? node.milliCpu : 0) : milliValue(given);
    return String(Math.ceil(milli / (zeroDivisor ? 1000 : milliValue(ref.divisor))));
  }
  if (name !== 'memory' && name !== 'ephemeral-storage' && !name.startsWith('hugepages-')) {
    throw new UnsupportedError(`unsupported container resource : ${ref.resource}`);
  }
  const rest = name === 'memory' ? node.memoryBytes : name === 'ephemeral-storage' ? node.ephemeralStorageBytes : 0;
  const bytes = given === undefined ? (list === 'limits' ? rest : 0) : wholeValue(given);
  return String(Math.ceil(bytes / (zeroDivisor ? 1 : wholeValue(ref.divisor))));
}

/** `key="escaped value"` per line, sorted, as the downward API writes maps. */
function formatMap(map: { readonly [key: string]: string } | undefined): string {
  return Object.entries(map ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join('\n');
}
