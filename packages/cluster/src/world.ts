import type { Clock, Logger, Random } from '@binnacle/base';

/** What components need of the world. */
export interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}
