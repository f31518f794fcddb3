/** Keeps score of one queue of work. A key is in it once; while it is worked on it may be put there again. */
export interface QueueMeter {
  /** It waits from now on. */
  added(key: string): void;
  /** It is worked on from now on. */
  taken(key: string): void;
  /** It is not worked on any more, however that ended. */
  done(key: string): void;
  /** It will be tried again after a while. */
  retried(): void;
  /** The queue is no more: nothing waits in it, and nothing of it is worked on. */
  ended(): void;
}

/** Who keeps score of queues of work. Bounded by the queues' own bounds. */
export interface QueueMeasures {
  /** `name`: the queue's, one of a few dozen. */
  queue(name: string): QueueMeter;
}
