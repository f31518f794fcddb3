const SECONDS_MAX = 32;

/**
 * How long those who are refused should stay away, by level: twice as long whenever many were refused while it counted,
 * a second less when few were. Upstream's rule.
 */
export class RetryAfter {
  #seconds = 1;
  #raisedAt = 0;
  #second = 0;
  #refused = 0;
  #history: { readonly second: number; readonly refused: number }[] = [];

  get seconds(): number {
    return this.#seconds;
  }

  /** One was refused, in this second of whichever clock. Answers when it should come again. */
  refuse(second: number): number {
    if (second === this.#second) this.#refused++;
    else {
      this.#history.push({ second: this.#second, refused: this.#refused });
      const oldest = second - Math.min(2 * this.#seconds, SECONDS_MAX);
      this.#history = this.#history.filter((one) => one.second >= oldest);
      this.#second = second;
      this.#refused = 1;
      this.#adjust(second);
    }
    return this.#seconds;
  }

  #adjust(now: number): void {
    const recent = this.#history.filter(({ second }) => second < now && now - second <= this.#seconds);
    const refused = recent.reduce((sum, one) => sum + one.refused, 0);
    if (now - this.#raisedAt >= this.#seconds && refused >= 3 * this.#seconds) {
      this.#seconds = Math.min(2 * this.#seconds, SECONDS_MAX);
      this.#raisedAt = now;
    } else if (refused < this.#seconds && this.#seconds > 1) this.#seconds--;
  }
}
