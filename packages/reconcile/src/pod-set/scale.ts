import { isPodActive, isPodReady } from '@binnacle/api';
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

/**
 * How many times as old as the youngest ready pod of their set those ready ones are that go, as whole numbers as upstream.
 * None when all go: nobody had to choose.
 */
export function ageRatios(pods: readonly Pod[], gone: readonly Pod[], nowMs: number): readonly number[] {
  if (gone.length === 0) return [];
  const active = pods.filter(isPodActive);
  if (gone.length === active.length) return [];
  const ageOf = ({ metadata }: Pod): number => nowMs - Date.parse(metadata.creationTimestamp ?? '');
  const youngest = active.reduce((least, pod) => (isPodReady(pod) ? Math.min(least, ageOf(pod)) : least), Infinity);
  // Of one that came this very moment nothing can be said.
  if (!(youngest > 0)) return [];
  return gone.filter(isPodReady).map((pod) => Math.trunc(ageOf(pod) / youngest));
}
