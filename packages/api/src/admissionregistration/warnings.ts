import type { KubeObject } from '@binnacle/machinery';

const STATIC_SUFFIX = '.static.k8s.io';

/** Of a configuration of admission whose name is kept for those that are read from files. */
export function staticNameWarnings({ metadata: { name = '' } }: KubeObject): readonly string[] {
  if (!name.endsWith(STATIC_SUFFIX)) return [];
  const told = 'are reserved for static manifest-based configurations and cannot be managed via the API';
  return [`metadata.name: names ending with "${STATIC_SUFFIX}" ${told}`];
}
