import { wellknown } from '@binnacle/api';
type Labels = { readonly [key: string]: string };

/** Labels of the system that a kubelet may set on its own Node. */
const ALLOWED: ReadonlySet<string> = new Set([
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  wellknown.LABEL_ARCH,
  wellknown.LABEL_HOSTNAME,
  wellknown.LABEL_OS,
  wellknown.LABEL_INSTANCE_TYPE,
  wellknown.LABEL_REGION,
  wellknown.LABEL_ZONE,
]);
const ALLOWED_PREFIXES: readonly string[] = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

/** The keys whose value differs. */
export function changedLabels(before: Labels | undefined, after: Labels | undefined): string[] {
  const keys = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...keys].filter((key) => before?.[key] !== after?.[key]);
}

/** Those of the keys that administrators keep for themselves, sorted. */
export function restrictedLabels(keys: readonly string[]): string[] {
  return keys.filter(isRestricted).toSorted();
}

function isRestricted(key: string): boolean {
  const prefix = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  if (prefix === 'node-restriction.kubernetes.io' || prefix.endsWith('.node-restriction.kubernetes.io')) return true;
  const isOfSystem = ['kubernetes.io', 'k8s.io'].some((domain) => prefix === domain || prefix.endsWith(`.${domain}`));
  if (!isOfSystem || ALLOWED.has(key)) return false;
  return !ALLOWED_PREFIXES.some((allowed) => prefix === allowed || prefix.endsWith(`.${allowed}`));
}
