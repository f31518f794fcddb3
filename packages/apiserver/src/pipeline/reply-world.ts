import type { Clock, Logger } from '@binnacle/base';
import type { RequestInfo } from '../request/info.ts';
import type { UnsentReplies } from './unsent-replies.ts';

/** What a listener needs to write replies: what time it is for ages, where to tell of a reply that failed, what waits to be read. */
export interface ReplyWorld {
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
  readonly unsent: UnsentReplies;
  /** Who keeps score of the events of watches, of replies that broke off, and of connections that came to nothing. */
  readonly figures: {
    watchMeter(info: RequestInfo): { sent(bytes: number): void };
    handshakeFailed(): void;
    aborted(info: RequestInfo): void;
  };
}
