import type { Clock, Logger } from '@binnacle/base';

/** What a listener needs to write replies: what time it is for ages, and where to tell of a reply that failed. */
export interface ReplyWorld {
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
}
