import { isPodActive } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { rankForDeletion } from './rank.ts';

/** At most this many pods are made or deleted in one sync; the next one goes on. */
const BURST = 500;

/** What to do about the number of pods. At most one of the two is not empty. */
export interface ScalePlan {
  readonly create: number;
  readonly remove: readonly Pod[];
}

export interface ScaleInput {
  /** All pods of the set, ended and leaving ones too. */
  readonly pods: readonly Pod[];
  readonly wanted: number;
  /** Pods of sister sets that share the work, these included; for judging how crowded a node is. */
  readonly related: () => readonly Pod[];
  readonly nowMs: number;
}

/** Two asked for does not make three: active pods are those neither Succeeded nor Failed nor being deleted. */
export function planScale(input: ScaleInput): ScalePlan {
  const active = input.pods.filter(isPodActive);
  const missing = input.wanted - active.length;
  if (missing >= 0) return { create: Math.min(missing, BURST), remove: [] };
  const surplus = Math.min(-missing, BURST);
  if (surplus === active.length) return { create: 0, remove: active };
  const ranked = rankForDeletion(active, input.related().filter(isPodActive), input.nowMs);
  return { create: 0, remove: ranked.slice(0, surplus) };
}
