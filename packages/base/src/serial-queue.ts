/**
 * Acts one after the other, in the order in which they were asked for. Who asked is told what failed; the next one does not
 * hear of it.
 */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(act);
    // Who asked is told: who is next waits for its end only.
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  /** Resolves when all that were asked for by now are over, however they ended. */
  async settled(): Promise<void> {
    await this.#last;
  }
}

/**
 * The act, once at a time: all who ask while it runs are served by one more run, which begins after them and so sees what
 * they saw. They are all told what failed of it.
 */
export function coalesced(act: () => Promise<void>): () => Promise<void> {
  const queue = new SerialQueue();
  let next: Promise<void> | undefined;
  return () =>
    (next ??= queue.run(() => {
      next = undefined;
      return act();
    }));
}
