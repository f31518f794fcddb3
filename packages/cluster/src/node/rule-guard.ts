import { sleep } from '@binnacle/base';
import type { Clock, Scope } from '@binnacle/base';

/** Rules on a machine, and who keeps them. */
export interface GuardedRules {
  /** Whether they are as they were left, as far as a glance tells. */
  isThere(): Promise<boolean>;
  /** Makes all of them anew. */
  resync(): void;
  /** What else others may have done. */
  lookAround?(): Promise<void>;
}

/** How often what others may have done is looked for, and everything made anew: upstream's `syncPeriod`, and its hour. */
const GLANCE_MS = 30_000;
const GLANCES_PER_RESYNC = 120;

/** Looks at rules whenever it is called, and by itself twice a minute. */
export function guardRules(
  guarded: readonly GuardedRules[],
  at: {
    readonly clock: Clock;
    readonly scope: Scope;
    /** Done before each look of its own. */
    readonly each?: () => Promise<void>;
  },
): () => Promise<void> {
  const { clock, scope, each } = at;
  const look = async (): Promise<void> => {
    for (const rules of guarded) {
      if (!(await rules.isThere())) rules.resync();
      await rules.lookAround?.();
    }
  };
  scope.run('rules of others', async (signal) => {
    for (let count = 1; !signal.aborted; count++) {
      await each?.();
      // Who flushes the rules of a machine tells nobody.
      await sleep(clock, GLANCE_MS, signal);
      if (signal.aborted) break;
      await look();
      if (count % GLANCES_PER_RESYNC === 0) for (const rules of guarded) rules.resync();
    }
  });
  return look;
}
