import { wellknown } from '@binnacle/api';
import type { Node } from '@binnacle/api/core/v1';

/** Labels of nodes, and the names that they had before. */
export const KEPT_LABELS: readonly (readonly [label: string, old: string])[] = [
  [wellknown.LABEL_OS, wellknown.LABEL_OS_BETA],
  [wellknown.LABEL_ARCH, wellknown.LABEL_ARCH_BETA],
];

/** What the old names have to say of a node, where they say anything else; undefined: nothing. */
export function labelsToKeep({ metadata: { labels = {} } }: Node): { readonly [label: string]: string } | undefined {
  const found: { [label: string]: string } = {};
  for (const [label, old] of KEPT_LABELS) {
    const value = labels[label];
    if (value !== undefined && labels[old] !== value) found[old] = value;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}
