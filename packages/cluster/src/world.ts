import type { Clock, Gate, Logger, QueueMeasures, Random, Trace } from '@binnacle/base';

/** What components need of the world. */
export interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Absent: nobody is told what is done and why. */
  readonly trace?: Trace;
  /** Absent: nobody is ever held. */
  readonly gate?: Gate;
  /** Absent: nobody keeps score of queues. */
  readonly queues?: QueueMeasures;
}
