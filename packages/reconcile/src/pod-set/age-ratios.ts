import { isPodActive, isPodReady } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';

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
