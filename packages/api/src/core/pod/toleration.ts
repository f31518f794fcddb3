import { readInt64 } from '@binnacle/machinery';
import type { Taint, Toleration } from '../../generated/core-v1.ts';

/** Effects that keep a pod away; PreferNoSchedule only makes a node less welcome. */
const REPELLING: ReadonlySet<string> = new Set(['NoSchedule', 'NoExecute']);

/** Does this toleration put up with this taint? An empty effect, and an empty key with Exists, match all. */
export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator ?? 'Equal') {
    case 'Equal':
      return (toleration.key ?? '') === taint.key && (toleration.value ?? '') === (taint.value ?? '');
    case 'Exists':
      return true;
    case 'Gt':
      return compareIntegers(taint.value, toleration.value) > 0;
    case 'Lt':
      return compareIntegers(taint.value, toleration.value) < 0;
    default:
      return false;
  }
}

/** The first taint of those effects that no toleration puts up with. */
export function findUntoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: ReadonlySet<string> = REPELLING,
): Taint | undefined {
  if (!taints) return undefined;
  for (const taint of taints) {
    if (!effects.has(taint.effect)) continue;
    if (!tolerations?.some((toleration) => toleratesTaint(toleration, taint))) return taint;
  }
  return undefined;
}

/** Zero, which is neither above nor below, where either is no integer of 64 bits. */
function compareIntegers(taint = '', toleration = ''): -1 | 0 | 1 {
  const [a, b] = [parseInteger(taint), parseInteger(toleration)];
  if (a === undefined || b === undefined || a === b) return 0;
  return a < b ? -1 : 1;
}

function parseInteger(text: string): bigint | undefined {
  return /^(?:0|-?[1-9]\d*)$/.test(text) ? readInt64(text) : undefined;
}
