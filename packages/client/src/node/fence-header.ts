import type { Fence } from '@binnacle/base';

/** The header in which a leader says in which term it writes: `namespace/lease;transitions;holder`. */
export const FENCE_HEADER = 'binnacle-fence';

/** A term as the header carries it. */
export function fenceHeader({ namespace, lease, transitions, holder }: Fence): string {
  return `${namespace}/${lease};${transitions};${encodeURIComponent(holder)}`;
}
