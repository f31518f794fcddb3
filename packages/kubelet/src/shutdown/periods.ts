import { wellknown } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { KubeletConfig } from '../config.ts';

/** How long pods from a priority on have to end when the machine goes down. */
export interface ShutdownPeriod {
  readonly priority: number;
  readonly seconds: number;
}

/** Pods that end together. */
export interface ShutdownGroup<T> {
  readonly seconds: number;
  readonly pods: readonly T[];
}

type Wishes = Pick<KubeletConfig, 'shutdownGraceMs' | 'shutdownGraceCriticalMs' | 'shutdownGraceByPriority'>;

/** The periods that a configuration means, the lowest priority first; none: nothing is held up. */
export function shutdownPeriods(config: Wishes): readonly ShutdownPeriod[] {
  const { shutdownGraceMs: all, shutdownGraceCriticalMs: critical, shutdownGraceByPriority: wished } = config;
  if (wished.length > 0) return wished.toSorted((a, b) => a.priority - b.priority);
  if (all === 0 || critical > all) return [];
  return [
    { priority: 0, seconds: Math.floor((all - critical) / 1000) },
    { priority: wellknown.PRIORITY_SYSTEM_CRITICAL, seconds: Math.floor(critical / 1000) },
  ];
}

/** How long the machine has to be held up at the most, milliseconds. */
export function shutdownDelayMs(periods: readonly ShutdownPeriod[]): number {
  return periods.reduce((sum, period) => sum + period.seconds, 0) * 1000;
}

/** Pods by the period of the highest priority that is not above theirs; those below all go with the first. Empty ones are left out. */
export function groupByPriority<T extends { readonly pod: Pod }>(
  periods: readonly ShutdownPeriod[],
  pods: readonly T[],
): ShutdownGroup<T>[] {
  const of = ({ pod }: T): number => {
    const priority = pod.spec.priority ?? 0;
    return Math.max(
      0,
      periods.findLastIndex((period) => period.priority <= priority),
    );
  };
  const groups = periods.map(({ seconds }, at) => ({ seconds, pods: pods.filter((one) => of(one) === at) }));
  return groups.filter((group) => group.pods.length > 0);
}
