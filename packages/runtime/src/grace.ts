/** An engine counts nanoseconds in 64 bits: more than 292 years are no time at all to it. */
const SECONDS_MAX = 2 ** 31 - 1;

/** The whole seconds that a container has to end: rounded up, and never more than an engine can count. */
export function wholeGrace(seconds: number): number {
  return Math.min(SECONDS_MAX, Math.max(0, Math.ceil(seconds)));
}
