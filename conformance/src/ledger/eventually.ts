/** Waiting for what no watch tells: documents, proxied answers, a schema that is served a moment after its definition. */
import { setTimeout as pause } from 'node:timers/promises';
import { TestkitError } from '@binnacle/testkit';

const EVERY_MS = 50;

export interface Wish<T> {
  /** What is waited for, as the error says it. */
  readonly what: string;
  readonly ask: () => Promise<T>;
  readonly holds: (answer: T) => boolean;
  readonly deadlineMs?: number;
}

/** Asks again and again until the answer holds, and answers with it; the error tells the last answer. */
export async function eventually<T>({ what, ask, holds, deadlineMs = 20_000 }: Wish<T>): Promise<T> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (Date.now() > deadline) {
      throw new TestkitError(`waited ${deadlineMs / 1000} s for ${what}: ${JSON.stringify(answer)}`);
    }
    await pause(EVERY_MS);
  }
}
